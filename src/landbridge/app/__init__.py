"""Composition root: settings, container, API, worker and the command line."""
