"""Looks at sessions: in words, in figures, and in a browser."""
