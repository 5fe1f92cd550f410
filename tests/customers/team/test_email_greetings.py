"""E-mails to members greet them by name, unless the name is a link."""

from datetime import UTC, datetime

import pytest

from landbridge.customers.team import emails

AT = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("name", "greeting"),
    [
        ("Ada Example", "Hello Ada Example,"),
        ("J.R. O'Neill-Łukasz", "Hello J.R. O'Neill-Łukasz,"),
        ("Win at http://evil.example/now", "Hello,"),
        ("Win at evil.example", "Hello,"),
        ("Write to me@example", "Hello,"),
    ],
)
def test_no_name_is_a_link(name: str, greeting: str) -> None:
    url = "https://landbridge.example/x"
    for email in (
        emails.invitation("a@example.com", name=name, org="Acme", url=url, until=AT),
        emails.reset("a@example.com", name=name, url=url),
        emails.changed("a@example.com", name=name, sentence="Changed.", at=AT, url=url),
    ):
        assert email.text.startswith(f"{greeting}\n")
        assert email.text.count("://") == 1
