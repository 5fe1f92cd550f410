"""Tests on several nodes: a coordinator and two workers of Citus, by `make test-cluster`."""
