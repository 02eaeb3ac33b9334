"""The commands of `steno`, by what they are for: words and options; the work of each is in `commands`.

The commands, one module each: what `steno` does when it is called.

A command takes plain values, says what it did and returns its exit code. Its
words and options are in `cli`, which imports a command only when it is run.
"""
