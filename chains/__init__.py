"""Local EVM chains for development: nodes, contracts and the configuration of the platform.

`make chains` starts one anvil node per EVM chain of the platform, deploys tokens and contracts, and
writes `.landbridge/chains.toml`. Nodes, compiler and OpenZeppelin's contracts come from npm,
pinned by their SHA-512; none of them is stored in the repository.

`contracts/` has our Solidity, `compiled/` its bytecode. After a change of a contract run
`python -m chains.compile`, which needs Node.js, and commit both.
"""
