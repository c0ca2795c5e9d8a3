"""The WMT20 markable study (Zouhar, Vojtěchová and Bojar 2020): its data, its tables, its flaws.

The study's folder or a campaign's export comes in and a `MarkableStudy` goes out; the study's
tables, agreement and correlations are made of it.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
