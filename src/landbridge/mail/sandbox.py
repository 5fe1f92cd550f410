"""Mail in a sandbox. Source: contract, users 3.2 ("the e-mail is sent only in production")."""

from landbridge.mail.port import Message


class SandboxMail:
    """Sends nothing and keeps nothing: whoever tries things out must not write to people."""

    async def send(self, message: Message) -> None:
        """Take the message."""
        del message
