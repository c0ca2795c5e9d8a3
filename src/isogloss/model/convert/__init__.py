"""Turning other people's models, and our own, into a model folder that `isogloss.model` loads."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
