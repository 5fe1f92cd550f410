"""Who belongs to the organisation, and the sandbox's mailbox."""
