"""Clients and frameworks of others: each adapter is an extra, and imports only its own."""
