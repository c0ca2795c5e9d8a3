"""Lexical translation consistency: repeated words, their renderings, data sets of them."""
