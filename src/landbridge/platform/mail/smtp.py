"""SMTP transport: the client, and the translation of its errors.

Guarantees: nothing is sent to a server before the connection is encrypted and its certificate is
verified, unless the URL's scheme is `smtp+plain`; no error contains a user name, a password or an
address.
"""

import ssl
from dataclasses import dataclass, field
from email.message import EmailMessage
from email.policy import SMTP as SMTP_POLICY
from email.utils import format_datetime, parseaddr
from typing import cast
from urllib.parse import SplitResult, unquote, urlsplit

from landbridge.platform.core.errors import FieldInvalid, Rejected, Unavailable
from landbridge.platform.formats.people import check_email
from landbridge.platform.http.trusted_certificates import trusted_certificates
from landbridge.platform.mail.port import OutboundEmail

# Seconds to wait for one response of the server; then the e-mail is retried later.
_TIMEOUT_S = 30.0
# SMTP status codes after which a retry is useless. Source: RFC 5321, 4.2.1.
_PERMANENT = range(500, 600)
# By scheme: port, encrypted from the first byte, encrypted after STARTTLS.
_SCHEMES = {
    "smtp": (587, False, True),
    "smtps": (465, True, False),
    # Unencrypted: only for a relay on the same machine or in the same locked room.
    "smtp+plain": (25, False, False),
}


@dataclass(frozen=True, slots=True)
class SmtpServer:
    """Address and options of an SMTP server."""

    host: str
    port: int
    user: str | None = field(repr=False)
    password: str | None = field(repr=False)
    is_tls: bool
    is_starttls: bool


class Smtp:
    """Transport that delivers to one server, with a connection for each message."""

    def __init__(self, url: str, *, sender: str, context: ssl.SSLContext | None = None) -> None:
        """`url` is the server's URL; `sender` is the value of From.

        `context` sets the trusted certificates; None trusts those of this machine.
        """
        self._server = read_url(url)
        self._sender = sender
        self._context = context

    async def send(self, message: OutboundEmail) -> None:
        """Deliver the message, with the errors of `MailTransport.send`."""
        # Imported when first needed: every command reads settings, and so imports this module.
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
            tls_context=(self._context or trusted_certificates()) if is_encrypted else None,
            timeout=_TIMEOUT_S,
        )
        try:
            async with client:
                await client.send_message(mime_message(message, sender=self._sender))
        except aiosmtplib.SMTPRecipientsRefused as error:
            codes = [each.code for each in error.recipients]
            raise _refused(min(codes, default=0), "the recipient") from None
        except aiosmtplib.SMTPDataError as error:
            raise _refused(error.code, "the message") from None
        except aiosmtplib.SMTPNotSupported:
            raise Rejected("the server takes no addresses with such letters") from None
        except (aiosmtplib.SMTPException, OSError) as error:
            # The error's text may repeat an address, so only its type is kept.
            raise Unavailable(f"the mail server did not take it ({type(error).__name__})") from None


def mime_message(message: OutboundEmail, *, sender: str) -> EmailMessage:
    """Build the MIME message."""
    mime = EmailMessage(policy=SMTP_POLICY)
    mime["From"] = sender
    mime["To"] = message.to
    mime["Subject"] = message.subject
    mime["Date"] = format_datetime(message.at)
    domain = parseaddr(sender)[1].rpartition("@")[2]
    mime["Message-ID"] = f"<{message.id}@{domain}>"
    # Prevents replies of autoresponders. Source: RFC 3834, 5.
    mime["Auto-Submitted"] = "auto-generated"
    mime.set_content(message.text)
    return mime


def read_url(url: str) -> SmtpServer:
    """Parse `smtp://user:password@host:587`.

    `smtp` is encrypted by STARTTLS, `smtps` from the first byte, `smtp+plain` not at all. Raises
    `ValueError` that does not repeat the URL.
    """
    parts = urlsplit(url)
    if parts.scheme not in _SCHEMES:
        raise ValueError(f"must begin with one of {', '.join(f'{each}://' for each in _SCHEMES)}")
    port, is_tls, is_starttls = _SCHEMES[parts.scheme]
    try:
        explicit_port = parts.port
    except ValueError:
        raise ValueError("must have a port from 1 to 65535, or none") from None
    if not parts.hostname or parts.path not in {"", "/"} or parts.query or parts.fragment:
        raise ValueError("must be user:password@host:port behind its scheme, and no more")
    user, password = _account(parts)
    if user is not None and not (is_tls or is_starttls):
        raise ValueError("must not send a password without encryption")
    return SmtpServer(parts.hostname, explicit_port or port, user, password, is_tls, is_starttls)


def check_url(url: str) -> None:
    """Raise `ValueError` unless the URL names a server."""
    read_url(url)


def check_sender(sender: str) -> None:
    """Raise `ValueError` unless the text is an address, or `Example <no@example.com>`."""
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


def _refused(code: int, subject: str) -> Rejected | Unavailable:
    if code in _PERMANENT:
        return Rejected(f"the mail server refuses {subject} ({code})")
    return Unavailable(f"the mail server does not take {subject} now ({code})")
