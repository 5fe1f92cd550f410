"""The HTTP kit: who calls, what came in, what goes out, and how errors look."""
