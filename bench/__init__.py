"""Swap throughput on this machine, compared with PostgreSQL alone and with a conventional stack.

Run as `make bench` or `python -m bench`. Absolute figures hold only for the machine that printed
them. Compare ratios between runs: all sides of a ratio are measured in turn within the same
minutes. docs/internals/speed.md defines each figure.
"""
