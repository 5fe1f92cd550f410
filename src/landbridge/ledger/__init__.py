"""Double-entry ledger: accounts, journals and transfer records. The only writer of balances.

Guarantees, and the mechanism behind each:

1. Every journal sums to zero per asset. `model.check_journal` rejects one that does not.
2. No wallet account goes below zero. `create` and `advance` refuse the whole item; a CHECK
   constraint backs this up.
3. A request id has exactly one record. A unique key in the transaction that moves the money
   enforces it.
4. A record advances only from the version at which it was read, and only along its flow's
   transitions. Of any number of racing requests, retries and workers exactly one wins; the
   others get an outcome that says so.
5. Record, journal, balances and change are written by one call of a function: all or none.

Implementation: two database functions (`statements.py`) move all money and all states. A statement
of `store.py` only postpones a due record: it writes no change, moves no money and keeps the
version. Both functions take arrays, so a batch of 1 and a batch of 64 run the same SQL. Each item
is checked on its own: a refused item raises nothing and does not affect the other items.

Concurrency: calls are grouped (`platform/db/group_commit.py`). Within a process, two items that
touch the same wallet, record or request id never run at the same time. Between processes, row
locks decide. The functions take them first, in sorted order (records before wallets), read the
locked rows as the previous holders left them, and write in later statements, with newer snapshots.
Locking and writing in one statement was tried: it lets two processes spend the same money.

Cost: a batch is one round trip.
House accounts are insert-only here; the worker rolls them up (`house_accounts.py`).
"""
