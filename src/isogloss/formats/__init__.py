"""Files: one module per file format, all of one protocol; paths come in, nouns go out, and back.

A path of any known format comes in and is recognised by its content; a `Collection`, `Judgements`
or a `ScoreTable` goes out. `assemble` makes a collection of loose files. Beside them stand text
files as they come: compressed or not, with a limit on what they unpack to.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
