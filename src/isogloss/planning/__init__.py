"""How much to judge, and what: before people are asked, and where metrics help them.

Judgements (or figures of earlier ones) come in; how many documents tell two systems apart, at which
p-values one may stop early, which documents to judge, and estimates helped by a metric go out.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
