"""Other people's frameworks: each adapter is an extra, and imports its framework alone."""
