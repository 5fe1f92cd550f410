"""Shared vocabulary: money, time, ids, errors. Standard library only, no I/O."""
