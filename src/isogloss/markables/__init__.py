"""Markables: the expressions that carry a document's meaning, and what translation does to them."""
