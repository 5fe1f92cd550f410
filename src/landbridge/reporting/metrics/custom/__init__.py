"""Templates that an organisation defines itself."""
