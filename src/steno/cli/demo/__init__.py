"""`steno demo`: a long session in a small window, and the proof that nothing is lost."""
