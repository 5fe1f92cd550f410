"""Beginning payments, and what can be done with one."""
