"""Annotation campaigns in the browser: what people are asked, and what they answered."""
