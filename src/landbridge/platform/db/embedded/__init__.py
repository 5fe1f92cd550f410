"""The embedded PostgreSQL; `server.py` lists its guarantees."""
