"""Metrics: the protocol, the registry, and the families, each of them whole in a folder or module.

A name such as ``prism(context=2)`` comes in and a `Metric` goes out (`load_metric`); documents with
their translations come in and a `Measurement` for each goes out.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
