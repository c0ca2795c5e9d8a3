"""The translation model as a judge: load it, score with it, read its attention, translate."""
