"""Other people's clients and frameworks, reached without their changing how they work."""
