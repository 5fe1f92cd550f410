"""Mail over SMTP: client and translation of its answers.

Guarantees: nothing is said to a server before the connection is encrypted and its certificate is
checked, unless the setting itself says otherwise; user name, password and addresses are in no
error.
"""

import ssl
from dataclasses import dataclass, field
from email.message import EmailMessage
from email.policy import SMTP as SMTP_POLICY
from email.utils import format_datetime, parseaddr
from typing import cast
from urllib.parse import SplitResult, unquote, urlsplit

from landbridge.core.errors import FieldInvalid, Rejected, Unavailable
from landbridge.formats.people import check_email
from landbridge.mail.port import Message

# A server that takes longer than this to answer a line is asked again later.
_TIMEOUT_S = 30.0
# Of SMTP's answers, these say that asking again is no use. Source: RFC 5321, 4.2.1.
_PERMANENT = range(500, 600)
# Scheme: port, encrypted from the first byte, encrypted after STARTTLS.
_SCHEMES = {
    "smtp": (587, False, True),
    "smtps": (465, True, False),
    # Only for a relay on the same machine or in the same locked room.
    "smtp+plain": (25, False, False),
}


@dataclass(frozen=True, slots=True)
class Server:
    """Where and how mail is handed over."""

    host: str
    port: int
    user: str | None = field(repr=False)
    password: str | None = field(repr=False)
    is_tls: bool
    is_starttls: bool


class Smtp:
    """Hands messages to one server, with a connection for each."""

    def __init__(self, url: str, *, sender: str, context: ssl.SSLContext | None = None) -> None:
        """Take the URL of the server; `sender` is what stands behind From.

        `context` says whose certificates are trusted: None for those that this machine trusts.
        """
        self._server = read_url(url)
        self._sender = sender
        self._context = context

    async def send(self, message: Message) -> None:
        """Hand it over; see `Mail`."""
        # Imported when first needed: every command reads settings, and so this module.
        import aiosmtplib  # noqa: PLC0415

        server = self._server
        is_encrypted = server.is_tls or server.is_starttls
        client = aiosmtplib.SMTP(
            hostname=server.host,
            port=server.port,
            username=server.user,
            password=server.password,
            use_tls=server.is_tls,
            start_tls=server.is_starttls,
            tls_context=(self._context or ssl.create_default_context()) if is_encrypted else None,
            timeout=_TIMEOUT_S,
        )
        try:
            async with client:
                await client.send_message(letter(message, sender=self._sender))
        except aiosmtplib.SMTPRecipientsRefused as error:
            codes = [each.code for each in error.recipients]
            raise _refused(min(codes, default=0), "the recipient") from None
        except aiosmtplib.SMTPDataError as error:
            raise _refused(error.code, "the message") from None
        except aiosmtplib.SMTPNotSupported:
            raise Rejected("the server takes no addresses with such letters") from None
        except (aiosmtplib.SMTPException, OSError) as error:
            # Its text may repeat an address, so only its kind is told.
            raise Unavailable(f"the mail server did not take it ({type(error).__name__})") from None


def letter(message: Message, *, sender: str) -> EmailMessage:
    """The message as it goes over the wire."""
    made = EmailMessage(policy=SMTP_POLICY)
    made["From"] = sender
    made["To"] = message.to
    made["Subject"] = message.subject
    made["Date"] = format_datetime(message.at)
    domain = parseaddr(sender)[1].rpartition("@")[2]
    made["Message-ID"] = f"<{message.id}@{domain}>"
    # Answering machines keep quiet. Source: RFC 3834, 5.
    made["Auto-Submitted"] = "auto-generated"
    made.set_content(message.text)
    return made


def read_url(url: str) -> Server:
    """The server that `smtp://user:password@host:587` names.

    `smtp` is encrypted by STARTTLS, `smtps` from the first byte, `smtp+plain` not at all. Raises
    `ValueError` that does not repeat the URL.
    """
    parts = urlsplit(url)
    if parts.scheme not in _SCHEMES:
        raise ValueError(f"must begin with one of {', '.join(f'{each}://' for each in _SCHEMES)}")
    port, is_tls, is_starttls = _SCHEMES[parts.scheme]
    try:
        told_port = parts.port
    except ValueError:
        raise ValueError("must have a port from 1 to 65535, or none") from None
    if not parts.hostname or parts.path not in {"", "/"} or parts.query or parts.fragment:
        raise ValueError("must be user:password@host:port behind its scheme, and no more")
    user, password = _account(parts)
    if user is not None and not (is_tls or is_starttls):
        raise ValueError("must not send a password without encryption")
    return Server(parts.hostname, told_port or port, user, password, is_tls, is_starttls)


def check_url(url: str) -> None:
    """Raise `ValueError` unless it names a server."""
    read_url(url)


def check_sender(sender: str) -> None:
    """Raise `ValueError` unless it is an address, or a name and one: `Example <no@example.com>`."""
    _, address = parseaddr(sender)
    try:
        check_email("sender", address)
    except FieldInvalid:
        address = ""
    if not address or not sender.isprintable() or sender.count("@") != 1:
        raise ValueError("must be an e-mail address, as in Example <mail@example.com>")


def _account(parts: SplitResult) -> tuple[str | None, str | None]:
    if (parts.username is None) != (parts.password is None):
        raise ValueError("must have both user and password, or neither")
    if parts.username is None:
        return None, None
    return unquote(parts.username), unquote(cast("str", parts.password))


def _refused(code: int, what: str) -> Rejected | Unavailable:
    if code in _PERMANENT:
        return Rejected(f"the mail server refuses {what} ({code})")
    return Unavailable(f"the mail server does not take {what} now ({code})")
