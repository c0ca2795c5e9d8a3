"""The translation model as a judge: find it, load it, score with it, read its attention, translate.

A name or a folder comes in and a `Paraphraser` goes out; pairs of texts come in and the
log-probability (or the cost) of every piece goes out, from a cache where it is known already.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
