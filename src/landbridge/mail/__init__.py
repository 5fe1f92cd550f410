"""The port to e-mail."""
