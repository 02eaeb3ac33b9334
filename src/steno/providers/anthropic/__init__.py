"""Anthropic: the messages API."""
