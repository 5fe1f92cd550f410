"""Provider packages: Python packages that connect a provider, each in a process of its own."""
