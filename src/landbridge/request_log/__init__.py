"""The last requests of each organisation, for the people who integrate."""
