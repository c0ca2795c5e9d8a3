"""The translation model that comes with isogloss: its files lie beside this one.

``paraphraser.toml`` says what it is, what it was trained on, and what it is not good at. There is
no code here: isogloss finds the folder by the entry point ``default`` of ``isogloss.models``.
"""
