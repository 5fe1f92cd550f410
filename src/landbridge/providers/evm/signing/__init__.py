"""Signing for EVM chains: a process of its own that holds the keys, its policy, log and client."""
