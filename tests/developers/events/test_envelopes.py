"""Envelopes, as receivers read them."""

import json
from datetime import UTC, datetime, timedelta, timezone

from landbridge.developers.events.envelopes import envelope
from landbridge.developers.events.names import events_of
from tests.developers.events.changes import AT, OBJECT_ID, change


def test_an_envelope_has_the_members_of_the_contract_in_their_order() -> None:
    (event,) = events_of(change(kind="ONRAMP", seq=3, before="A", after="CRYPTO_INITIATED"))
    later = AT + timedelta(seconds=2)
    body = envelope(event, b'{"amount":1.10}', type_=event.type, timestamp=later)
    assert list(json.loads(body).items()) == [
        ("eventId", f"evt_{OBJECT_ID.hex}0000000300"),
        ("eventCategory", "ONRAMP"),
        ("eventType", "ONRAMP.STATUS.CRYPTO_INITIATED"),
        ("eventAction", "CRYPTO_INITIATED"),
        ("data", {"amount": 1.1}),
        ("createdAt", "2026-03-02T12:30:15.123Z"),
        ("timestamp", "2026-03-02T12:30:17.123Z"),
        ("version", "v2"),
        ("objectId", str(OBJECT_ID)),
        ("sequence", 513),
    ]
    # Amounts stay as they were written.
    assert b'"data":{"amount":1.10}' in body


def test_data_may_be_missing_and_text_arbitrary() -> None:
    (event,) = events_of(change(change_type="create"))
    assert json.loads(envelope(event, b"null", type_="X", timestamp=AT))["data"] is None
    text = json.dumps({"name": 'Zoë "\\" \u2028'}, ensure_ascii=False).encode()
    assert json.loads(envelope(event, text, type_="X", timestamp=AT))["data"] == json.loads(text)


def test_the_type_is_spelled_as_requested_and_the_action_is_not() -> None:
    event = events_of(change(kind="OFFRAMP", seq=1, after="CREATED"))[0]
    body = envelope(event, b"{}", type_="OFFRAMP.TRANSACTION.CREATED", timestamp=AT)
    reply = json.loads(body)
    assert (reply["eventType"], reply["eventAction"]) == ("OFFRAMP.TRANSACTION.CREATED", "CREATE")


def test_times_are_in_utc_whatever_zone_they_come_in() -> None:
    east = timezone(timedelta(hours=5, minutes=30))
    (event,) = events_of(change(at=datetime(2026, 1, 1, 0, 0, tzinfo=east)))
    reply = json.loads(
        envelope(event, b"{}", type_="X", timestamp=datetime(2026, 1, 1, tzinfo=UTC))
    )
    assert reply["createdAt"] == "2025-12-31T18:30:00.000Z"
    assert reply["timestamp"] == "2026-01-01T00:00:00.000Z"
