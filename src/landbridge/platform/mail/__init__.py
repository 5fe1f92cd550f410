"""E-mail: outbox, transports and the sandbox's mailbox."""
