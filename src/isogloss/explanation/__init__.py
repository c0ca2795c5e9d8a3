"""Why one system's score is another's plus something: a difference taken apart.

A score table and two of its systems come in, with the texts and people's judgements where there are
such; an `Explanation` goes out: parts that add up to the difference, what the words say, where
metrics and people disagree, passages to read, and a paragraph whose every clause has its evidence.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
