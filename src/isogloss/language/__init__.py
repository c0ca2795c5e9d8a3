"""Language tools: words, stems, lemmas, parts of speech and function words, with their data.

A language code comes in, and the tool for it goes out (`tokeniser`, `normaliser`, `tagger`,
`function_words`); texts become tokens that know their places in the text as it was given.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
