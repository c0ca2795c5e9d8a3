"""How well do scores agree with people? Scores and judgements come in, statistics go out.

`study_of` puts scores and judgements side by side, a `Task` says which statistics are wanted, and
`judge` gives each of them with intervals, ranks and tests. No metric is known here, so that
anybody's scores can be judged.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
