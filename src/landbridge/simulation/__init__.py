"""What the sandbox's chains and banks remember: each order once by its key, and when it settles."""
