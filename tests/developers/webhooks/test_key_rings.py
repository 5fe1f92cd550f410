"""Which of an endpoint's keys signs at a moment, and which are shown."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

from landbridge.developers.webhooks.model import KeyRing, PublicKey
from landbridge.developers.webhooks.store import EndpointSecrets

AT = datetime(2026, 3, 1, tzinfo=UTC)
HOUR, MOMENT = timedelta(hours=1), timedelta(microseconds=1)


def make_key(number: int, signs_from: datetime, shown_until: datetime | None = None) -> PublicKey:
    return PublicKey(id=UUID(int=number), pem="", signs_from=signs_from, shown_until=shown_until)


OLD = make_key(1, AT - HOUR, AT + 2 * HOUR)
NEW = make_key(2, AT + HOUR)
RING = KeyRing((OLD, NEW))


def test_a_key_signs_until_the_next_one_does() -> None:
    assert RING.signing(AT) == RING.signing(AT + HOUR - MOMENT) == OLD
    assert RING.signing(AT + HOUR) == RING.signing(AT + 9 * HOUR) == NEW
    assert (RING.next_at(AT), RING.next_at(AT + HOUR)) == (AT + HOUR, None)


def test_before_its_time_the_first_key_signs_all_the_same() -> None:
    assert RING.signing(AT - 2 * HOUR) == OLD


def test_a_key_is_shown_before_it_signs_and_for_a_while_after() -> None:
    assert RING.published(AT) == RING.published(AT + 2 * HOUR - MOMENT) == (OLD, NEW)
    assert RING.published(AT + 2 * HOUR) == (NEW,)


def test_the_secret_before_is_good_until_its_overlap_ends() -> None:
    both = EndpointSecrets(b"new", b"old", AT)
    assert both.good(AT - MOMENT) == (b"new", b"old")
    assert both.next_at(AT - MOMENT) == AT
    assert (both.good(AT), both.next_at(AT)) == ((b"new",), None)
    assert (EndpointSecrets(b"new").good(AT), EndpointSecrets(b"new").next_at(AT)) == (
        (b"new",),
        None,
    )
    assert (EndpointSecrets().good(AT), EndpointSecrets().next_at(AT)) == ((), None)
