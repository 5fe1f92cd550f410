"""What programs of the organisation see: webhooks, events, requests, keys."""
