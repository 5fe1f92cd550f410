"""Proof of reserves: liabilities to customers at the cut of a day, as a tree with sums.

Guarantees:
- Liabilities are those of the ledger at the place in the log up to which the close compares.
- Every balance is in the tree, in salted pieces. Neither a piece nor the whole tree reveals the
  owner of a piece, or how many pieces a balance has.
- A piece, and every sum above it, is at least zero, and a node's hash covers the sums below it.
"""
