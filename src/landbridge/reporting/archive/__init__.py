"""Archive: the books of finished months as Parquet files that verify without a database.

Guarantees:
- The months of an organisation follow each other without a gap from its first change: each change
  is in exactly one of them.
- A month's folder gets its name only after it was read back and verified. A command that was killed
  at any point is resumed by the next run; no month is written twice, or with a part of its rows.
- A folder that was altered, truncated, or mixed with that of another database is reported, and not
  used.
"""
