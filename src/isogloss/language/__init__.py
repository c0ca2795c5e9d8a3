"""Language tools: words, stems, lemmas, parts of speech and function words, with their data."""
