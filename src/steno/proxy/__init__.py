"""One local HTTP server in front of a provider: views go upstream, bytes come back."""
