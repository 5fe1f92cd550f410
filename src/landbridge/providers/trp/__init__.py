"""Exchange of travel rule data with other providers: the port, and the Travel Rule Protocol."""
