"""isogloss: evaluation of machine translation of whole documents.

    >>> import isogloss
    >>> collection = isogloss.load_sample("cs-en")
    >>> table = isogloss.evaluate(collection, "bleu,chrf")
    >>> table
    ScoreTable of sample-cs-en, cs → en
    system     bleu   chrf
    steady    63.30  78.89
    shifting  55.45  70.63
    tangled   26.66  50.95
    >>> comparison, _ = isogloss.compare(table)

Importing the package loads none of its parts: each name is fetched when it is first used.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
