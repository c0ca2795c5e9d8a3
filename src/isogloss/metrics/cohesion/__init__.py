"""Lexical cohesion: chains of related words (Gong & Zhou 2015), and devices (Wong & Kit 2012).

Segments come in as content words with their places; chains go out, and how far those of two texts
match (`match_chains`, `document_score`).
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
