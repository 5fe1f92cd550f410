"""What integrators use: events, webhooks and the request log."""
