"""Signer of EVM chains: the process that holds the keys, with its policy, log and client."""
