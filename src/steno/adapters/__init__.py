"""Other people's clients and frameworks: each adapter is an extra, and imports its framework alone."""
