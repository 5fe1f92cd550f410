"""Sums of the log by hour and day, folded by the worker and read with the unfolded tail."""
