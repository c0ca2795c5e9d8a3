"""The campaign's server: who may ask, and what they are told."""
