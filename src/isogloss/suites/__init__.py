"""Discourse suites: published sets of examples that only context decides (ContraPro, ctxpro ...).

Suites come in as the files that their authors published (`read_suite`), with what a model says of
them: probabilities, scores or translations. Decisions go out (`by_model`, `by_scores`,
`by_outputs`), and how many of them are right (`accuracies`).
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
