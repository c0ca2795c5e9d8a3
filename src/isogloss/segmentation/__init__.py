"""Whole documents: which stretch of a text stands for which segment of the source.

A document and a text that was handed in whole come in; a `Cut` goes out, with what was left out,
added, repeated or moved. `split` does so for all that a collection holds unsplit; a `Segmenter`,
made by `segmenter` for two languages, for one document at a time.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
