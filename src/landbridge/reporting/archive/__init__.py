"""Archive: the books of finished months as Parquet files that verify without a database.

Guarantees:
- The months of an organisation follow each other without a gap from its first change: each change
  is in exactly one of them.
- A month gets its name only once it was read back and verified. A command that is killed at any
  point goes on with the next run; no month is written twice to a folder or has part of its rows.
- A folder that was altered, cut, or mixed with that of another database is named, and not used.
"""
