"""The PostgreSQL that comes with Landbridge; see `server.py` for what it guarantees."""
