"""How fast swaps are, on this machine, beside what PostgreSQL and a conventional stack can do.

Run as `make bench` or `python -m bench`. Absolute figures belong to the machine that printed them;
what is compared from run to run are the ratios, because all sides of a ratio are measured in turn
within the same minutes. What each figure means is said in docs/internals/speed.md.
"""
