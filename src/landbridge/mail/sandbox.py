"""Mail in a sandbox. Source: contract, users 3.2 ("the e-mail is sent only in production").

What would have been sent is in the mailbox: the outbox puts it there.
"""

from landbridge.mail.port import Message


class SandboxMail:
    """Sends nothing: whoever tries things out must not write to people."""

    async def send(self, message: Message) -> None:
        """Take the message."""
        del message
