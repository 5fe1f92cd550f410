"""The conventional stack: FastAPI, pydantic, the SQLAlchemy 2 async ORM on asyncpg, uvicorn.

The same two endpoints, written as such a service usually is: one session per request, objects
loaded, changed and flushed, row locks where money moves. It is held to the same promises: a request
id has one record, no wallet goes below zero, entries sum to zero, every change is written down. To
be kind to it, it has no log line, no metrics and no request ids, and its house accounts are
insert-only like ours; a balance row for liquidity would queue every payer behind it.
"""

DSN_VARIABLE = "YARDSTICK_DSN"
