"""Markables: the expressions that carry a document's meaning, and what translation does to them.

Documents in several translations come in; the terms that matter go out (`propose`), and what went
wrong with them (`Markables`), as findings with places. The study behind it is in `study`.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
