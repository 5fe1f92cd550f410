"""A primary with a standby, and processes that outlive the primary."""
