"""Contract of mail over SMTP, against a real server on this machine."""

import email
from datetime import UTC, datetime
from email.policy import default
from pathlib import Path
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landbridge.platform.core.errors import FieldInvalid, Rejected, Unavailable
from landbridge.platform.mail.port import OutboundEmail
from landbridge.platform.mail.sandbox import SandboxMail
from landbridge.platform.mail.smtp import Smtp, check_sender, check_url, mime_message, read_url
from tests.certificates import certificate
from tests.platform.mail.mail_server import MailServer, listening

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
ID = UUID("8d3a7cfe-0000-4000-8000-000000000000")
SENDER = "Example Payments <mail@example.com>"


def _message(**changes: str) -> OutboundEmail:
    fields = {"to": "ada@example.org", "subject": "Grüße", "text": "Hello.\nÅsa\n", **changes}
    return OutboundEmail(id=ID, at=AT, **fields)


def _plain(server: MailServer) -> Smtp:
    return Smtp(f"smtp+plain://127.0.0.1:{server.port}", sender=SENDER)


async def test_email_arrives_as_written() -> None:
    async with listening(MailServer()) as server:
        await _plain(server).send(_message())
    assert "MAIL FROM:<mail@example.com>" in " ".join(server.commands)
    assert any(each.startswith("RCPT TO:<ada@example.org>") for each in server.commands)
    (raw,) = server.messages
    arrived = email.message_from_bytes(raw, policy=default)
    assert arrived["From"] == SENDER
    assert arrived["To"] == "ada@example.org"
    assert arrived["Subject"] == "Grüße"
    assert arrived["Message-ID"] == f"<{ID}@example.com>"
    assert arrived["Auto-Submitted"] == "auto-generated"
    assert arrived["Date"].datetime == AT
    assert arrived.get_content().replace("\r\n", "\n").startswith("Hello.\nÅsa\n")


async def test_starttls_precedes_the_password(tmp_path: Path) -> None:
    ours, trusted = certificate(tmp_path, "127.0.0.1")
    async with listening(MailServer(starttls=ours)) as server:
        url = f"smtp://us%40er:p%3Aass@127.0.0.1:{server.port}"
        await Smtp(url, sender=SENDER, context=trusted).send(_message())
    assert len(server.messages) == 1
    assert server.login == ["us@er", "p:ass"]
    verbs = [each.split(" ")[0] for each in server.commands]
    assert verbs.index("STARTTLS") < verbs.index("AUTH") < verbs.index("MAIL")


async def test_smtps_is_encrypted_from_the_first_byte(tmp_path: Path) -> None:
    ours, trusted = certificate(tmp_path, "127.0.0.1")
    async with listening(MailServer(), tls=ours) as server:
        url = f"smtps://user:pass@127.0.0.1:{server.port}"
        await Smtp(url, sender=SENDER, context=trusted).send(_message())
    assert len(server.messages) == 1


async def test_server_without_encryption_gets_no_data() -> None:
    async with listening(MailServer()) as server:
        mail = Smtp(f"smtp://user:pass@127.0.0.1:{server.port}", sender=SENDER)
        with pytest.raises(Unavailable):
            await mail.send(_message())
    assert not server.messages
    assert not any(each.startswith(("AUTH", "MAIL", "RCPT")) for each in server.commands)


async def test_untrusted_certificate_is_refused(tmp_path: Path) -> None:
    ours, _ = certificate(tmp_path, "127.0.0.1")
    async with listening(MailServer(starttls=ours)) as server:
        mail = Smtp(f"smtp://user:pass@127.0.0.1:{server.port}", sender=SENDER)
        with pytest.raises(Unavailable):
            await mail.send(_message())
    assert not server.messages


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        ({"RCPT": "550 nobody of that name"}, Rejected),
        ({"END": "554 no thank you"}, Rejected),
        ({"RCPT": "451 come back in a minute"}, Unavailable),
        ({"END": "452 disk full"}, Unavailable),
        ({"DATA": "421 going down"}, Unavailable),
        # A configuration error can be fixed, so the email waits.
        ({"MAIL": "550 you may not send"}, Unavailable),
        ({"AUTH": "535 wrong password"}, Unavailable),
    ],
)
async def test_server_answers_are_distinguished(
    tmp_path: Path, answers: dict[str, str], expected: type[Exception]
) -> None:
    ours, trusted = certificate(tmp_path, "127.0.0.1")
    async with listening(MailServer(answers=answers), tls=ours) as server:
        mail = Smtp(f"smtps://user:pass@127.0.0.1:{server.port}", sender=SENDER, context=trusted)
        with pytest.raises(expected) as raised:
            await mail.send(_message())
    for secret in ("ada@", "user", "pass", "password"):
        assert secret not in str(raised.value)


async def test_disconnected_server_may_be_retried() -> None:
    async with listening(MailServer(drops_after_data=True)) as server:
        with pytest.raises(Unavailable):
            await _plain(server).send(_message())
    with pytest.raises(Unavailable):
        await _plain(server).send(_message())


async def test_non_ascii_address_is_refused_when_the_server_does_not_support_it() -> None:
    async with listening(MailServer(offers=())) as server:
        with pytest.raises(Rejected):
            await _plain(server).send(_message(to="åsa@example.org"))


@pytest.mark.parametrize(
    "change",
    [
        {"to": "ada@example.org\r\nBcc: eve@example.org"},
        {"to": "ada@example.org, eve@example.org"},
        {"to": "ada@example.org\n"},
        {"to": ""},
        {"subject": "Hello\r\nBcc: eve@example.org"},
        {"subject": "Hello\u2028there"},
        {"subject": ""},
    ],
)
def test_headers_and_recipients_cannot_be_injected(change: dict[str, str]) -> None:
    try:
        created = _message(**change)
    except FieldInvalid:
        return
    # Trailing whitespace is not a header.
    assert "\n" not in mime_message(created, sender=SENDER)["To"].strip()
    assert change["to"].strip() == "ada@example.org"


@given(st.text(), st.text(max_size=300), st.text())
def test_headers_are_ours_whatever_the_input(to: str, subject: str, text: str) -> None:
    try:
        created = OutboundEmail(id=ID, to=to, subject=subject, text=text, at=AT)
    except FieldInvalid:
        return
    raw = mime_message(created, sender=SENDER).as_bytes()
    names = [line.split(b":")[0].lower() for line in raw.split(b"\r\n\r\n")[0].split(b"\r\n")]
    assert b"bcc" not in names
    assert names.count(b"to") == 1


@pytest.mark.parametrize(
    ("url", "host", "port", "is_tls", "is_starttls"),
    [
        ("smtp://mail.example.com", "mail.example.com", 587, False, True),
        ("smtp://u:p@mail.example.com:2525", "mail.example.com", 2525, False, True),
        ("smtps://mail.example.com/", "mail.example.com", 465, True, False),
        ("smtp+plain://127.0.0.1", "127.0.0.1", 25, False, False),
    ],
)
def test_url_names_the_server(
    url: str, host: str, port: int, *, is_tls: bool, is_starttls: bool
) -> None:
    found = read_url(url)
    assert (found.host, found.port) == (host, port)
    assert (found.is_tls, found.is_starttls) == (is_tls, is_starttls)
    assert "p@" not in repr(found)
    assert "password" not in repr(found)


@pytest.mark.parametrize(
    "url",
    [
        "mail.example.com",
        "http://mail.example.com",
        "smtp://",
        "smtp://u@mail.example.com",
        "smtp://mail.example.com:0x1",
        "smtp://mail.example.com:99999",
        "smtp://mail.example.com/inbox",
        "smtp://mail.example.com?x=secret",
        "smtp+plain://u:secret@mail.example.com",
    ],
)
def test_invalid_url_is_refused_without_quoting_it(url: str) -> None:
    with pytest.raises(ValueError, match="must") as raised:
        check_url(url)
    assert "secret" not in str(raised.value)


def test_a_sender_is_one_address() -> None:
    check_sender("mail@example.com")
    check_sender(SENDER)
    for sender in ("", "Example", "a@example.com, b@example.com", "x\r\nBcc: y@example.com"):
        with pytest.raises(ValueError, match="e-mail address"):
            check_sender(sender)


async def test_sandbox_sends_nothing() -> None:
    await SandboxMail().send(_message())
