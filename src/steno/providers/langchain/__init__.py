"""LangChain: its messages as JSON."""
