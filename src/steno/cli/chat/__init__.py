"""`steno chat`: an agent in a terminal, over the loops of `steno.agent`."""
