"""`python -m steno`: the same as the `steno` command."""

from steno.cli.main import main

main()
