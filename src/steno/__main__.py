"""`python -m steno`: the same as the `steno` command."""

from steno.service.cli import main

main()
