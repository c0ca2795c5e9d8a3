"""Annotation campaigns in the browser: what people are asked, and what they answered.

A `Campaign` and a collection come in; people get links, a server (`create_app`) asks them and keeps
what they say (`Store`), and `exported` gives it out in the forms that other tools read.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
