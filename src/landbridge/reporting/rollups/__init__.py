"""Sums of the log by hour and day, kept up by the worker; read with what is not yet summed."""
