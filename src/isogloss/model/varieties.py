"""Varieties of a language: what models take them for that were not trained on them.

Spoken Arabic is written with the letters, and mostly with the words, of the Arabic that models
have learnt; its codes are extended languages of ``ar`` in BCP 47.
"""

_ARABIC = ("acm", "acq", "aeb", "afb", "ajp", "apc", "apd", "arq", "ars", "ary", "arz", "ayl")

VARIETY_OF = dict.fromkeys(_ARABIC, "ar")
