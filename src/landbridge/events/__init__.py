"""Events: what the log of changes says to the outside, by the names of the contract."""
