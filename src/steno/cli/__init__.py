"""The command line, `steno`: one file and one function for each command."""
