"""Pages for developers: webhooks, events, API logs and API keys."""
