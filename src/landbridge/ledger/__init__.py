"""The books: accounts, journals and transfer records. The only writer of money and its states.

Guarantees, and what each rests on:

1. Every journal sums to zero per asset: `model.Posting`s are checked when they are handed in.
2. No wallet goes below zero: `open` and `advance` refuse the whole item; a CHECK stands behind.
3. A request id has one record: a unique key, in the statement that moves the money.
4. A record moves only from the version it was read at, along its flow's moves; so of any number
   of racing verbs, retries and workers one wins and the others are told so.
5. Record, journal, balances and change are written by one statement: all or none.

How: all money and states move by two statements in `store.py` (a third only puts a record that is
due off: it has no change, no money and no new version). Both take arrays, so a batch
of 1 and of 64 is the same statement, and judge each item alone, as data: a refused item raises
nothing and harms no other item. Calls are grouped (`db/group.py`): two items that touch the same
wallet, record or request id are never under way at the same time in this process; between
processes the locks decide. Locks come first, in a statement of their own, in sorted order
(records before wallets), so that the statement's snapshot is newer than its locks. Doing both in
one statement was tried and lets two processes spend the same money.

Cost: `open` without postings is one round trip; otherwise begin, lock, statement, commit.
House accounts are insert-only here and rolled up by the worker (`house.py`).
"""
