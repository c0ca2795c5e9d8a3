"""Word alignment: which words of a translation stand for which words of its source.

Pairs of token lists come in; links, pairs of positions, go out, from an aligner that is asked for
by name (`aligner`) or chosen by the languages (`AUTO`). `read_gold` and `link_agreement` tell how
good they are.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
