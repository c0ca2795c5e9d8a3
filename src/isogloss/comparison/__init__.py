"""Which differences between systems are real: intervals, paired tests and rank clusters.

A score table comes in; for each metric a `Comparison` goes out: where each system stands, the test
of every pair, and what could not be decided.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
