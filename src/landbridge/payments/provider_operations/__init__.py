"""Overview of providers for operators: what each serves, its health, and what waits for it."""
