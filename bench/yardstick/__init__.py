"""Conventional stack: FastAPI, pydantic, the SQLAlchemy 2 async ORM on asyncpg, uvicorn.

It has the same two endpoints, written as such a service usually is: one session per request,
objects loaded, changed and flushed, row locks where money moves. It keeps the same guarantees: a
request id has one record, no wallet falls below zero, entries sum to zero, every change is
recorded. In its favour, it has no logs, metrics or request ids, and its house accounts are
insert-only like ours; a balance row for liquidity would queue every payer behind it.
"""

DSN_VARIABLE = "YARDSTICK_DSN"
