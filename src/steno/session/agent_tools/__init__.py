"""The agent's own tools: their definitions, their answers, notes, pages, deferred requests."""
