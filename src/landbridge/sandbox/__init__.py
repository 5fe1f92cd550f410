"""What only a sandbox can do: make money appear and time pass. Refused in production."""
