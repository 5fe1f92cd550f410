"""Provable books: a Merkle tree of the change log, with signed checkpoints for outsiders.

Guarantees:
- Every change becomes one leaf, in the order of the log. Payments do not wait for this: a worker
  appends the changes that have a place in the log.
- A leaf covers the change, the record as created, and each entry with its account's running count
  and balance. Each of these parts has a salt, so a proof can show one part and hide the others.
- A checkpoint is stored before it is published, and signed with a key of the organisation.
- Erasure breaks no leaf: a leaf holds the digest of sealed personal data, not the data.
"""
