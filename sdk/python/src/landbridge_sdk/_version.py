"""Version of this library, the same as in pyproject.toml."""

VERSION = "0.1.0"
