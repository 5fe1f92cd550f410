"""Events: the change log as integrators see it, under the names of the contract."""
