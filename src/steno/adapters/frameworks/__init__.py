"""Steno in agent frameworks, each on the framework's own hook before a model call."""
