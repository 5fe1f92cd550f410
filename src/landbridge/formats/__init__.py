"""Forms of what the world writes: names, addresses, phone and tax numbers, bank accounts."""
