"""Request log: the latest requests of each organisation, for its developers."""
