"""What a person would rather look at than read: the report's page, and plots.

A score table with its texts comes in (`report_data`), a page that holds everything goes out
(`write_report`); the plots are matplotlib figures.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
