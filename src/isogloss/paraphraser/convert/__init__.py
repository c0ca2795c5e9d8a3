"""Turning other people's models, and our own, into a paraphraser folder."""
