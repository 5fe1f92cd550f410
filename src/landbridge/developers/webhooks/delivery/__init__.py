"""Delivery: assigns workers to endpoints, sends events and stores the outcomes."""
