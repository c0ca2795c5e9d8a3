"""Lexical translation consistency: repeated words, their renderings, and data sets of them.

Documents with a translation and an aligner come in; every repeated word with its renderings goes
out (`Analyser`), as a score (`Ltcr`), as a list of what varies (`variations`), or as chains that
people judge (`extract_chains`, `read_answers`).
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
