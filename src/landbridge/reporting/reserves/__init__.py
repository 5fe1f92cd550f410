"""Proof of reserves: what the ledger owes to customers at the cut of a day, as a tree with sums.

Guarantees:
- Liabilities are those of the ledger at the place in the log up to which the close compares.
- Every balance is in the tree, in pieces with a salt each. Who sees a piece, or the whole tree,
  learns neither its owner nor how many pieces a balance has.
- A piece, and every sum above it, is at least zero, and a node's hash covers the sums below it.
"""
