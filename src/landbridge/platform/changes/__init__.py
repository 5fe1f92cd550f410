"""Change log: append-only record of everything that happened to any object."""
