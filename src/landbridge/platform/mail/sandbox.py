"""E-mail transport of a sandbox, which sends nothing.

Source: contract, users 3.2 ("the e-mail is sent only in production").

The outbox moves the e-mails to the mailbox.
"""

from landbridge.platform.mail.port import OutboundEmail


class SandboxMail:
    """Transport that sends nothing: a sandbox must not write to real people."""

    async def send(self, message: OutboundEmail) -> None:
        """Accept the message without sending it."""
        del message
