"""Scenarios that produce events, and a listener for events: both are API clients over HTTP."""
