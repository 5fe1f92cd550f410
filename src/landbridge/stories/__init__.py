"""Stories that lead to events, and listening to events: both as a customer's program, over HTTP."""
