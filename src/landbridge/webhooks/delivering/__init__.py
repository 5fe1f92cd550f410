"""Delivering: who goes to which endpoint, what is sent, and what became of it."""
