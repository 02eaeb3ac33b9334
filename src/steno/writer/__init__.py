"""Ask a model what a summary should add, and check its answer; optional."""
