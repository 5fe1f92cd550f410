"""How the organisation is set up, who did what, and the sandbox."""
