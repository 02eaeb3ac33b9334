"""Lists that are sent again: which session a list belongs to, what is new in it, what to send."""
