"""Trials of campaigns: annotators, servers, and what can happen to them."""
