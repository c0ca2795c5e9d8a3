"""One file per file format: paths to nouns and back."""
