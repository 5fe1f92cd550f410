"""The words everyone uses. Standard library only, no I/O."""
