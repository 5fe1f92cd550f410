"""Pages of the team, and the sandbox's mailbox."""
