"""Fiat: currencies, banking days, and the port to the banks that move money."""
