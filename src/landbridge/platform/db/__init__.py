"""PostgreSQL: the pool, transactions, group commit, migrations and the embedded server."""
