"""More than one process, more than one machine: shards of work, and streams of any length.

A crew of workers (processes here, or actors of a Ray cluster) takes shards; `score_corpus` scores
rows of any number into a folder of parts.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
