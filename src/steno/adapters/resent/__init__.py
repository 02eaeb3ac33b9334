"""A caller who keeps no session and sends everything again: whose list it is, what is new in it, what to send."""
