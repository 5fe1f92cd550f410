"""Fault injection in code and data; the audit must report each fault."""
