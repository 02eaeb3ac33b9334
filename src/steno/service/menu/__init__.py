"""The commands of `steno`, by what they are for: words and options; the work of each is in `commands`."""
