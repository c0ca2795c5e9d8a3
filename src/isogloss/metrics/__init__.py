"""Metrics: the protocol, the registry and the built-in families."""
