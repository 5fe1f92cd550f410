"""The Python library accepts what Landbridge signs, and nothing else."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import msgspec
import pytest

from landbridge.developers.webhooks.keys import KeyPair, new_pair, private_key
from landbridge.developers.webhooks.signing import Signer, secret_text
from landbridge_sdk import replies, webhooks
from landbridge_sdk.webhooks import AlreadySeen, NotGenuine, RecentEvents, unwrap
from tests.change_log import placed
from tests.tenants import Tenant, make_swap, make_user

ENDPOINT, KEY = UUID(int=1), UUID(int=2)
SECRET = bytes(range(32))
BODY = (
    b'{"eventId":"evt_1","eventCategory":"NEW","eventType":"NEW.KIND","eventAction":"KIND",'
    b'"data":{"a":1},"createdAt":"2026-01-01T00:00:00.000Z","timestamp":"2026-01-01T00:00:00.000Z",'
    b'"version":"v2","objectId":"00000000-0000-0000-0000-000000000001","sequence":1}'
)


@pytest.fixture(scope="module")
def pair() -> KeyPair:
    return new_pair()


def signed(pair: KeyPair, body: bytes = BODY, *, at: datetime | None = None) -> dict[str, str]:
    signer = Signer(
        issuer="https://pay.example.com",
        org_id=UUID(int=3),
        endpoint_id=ENDPOINT,
        key_id=KEY,
        key=private_key(pair.private),
        secrets=(SECRET,),
    )
    return signer.headers(event_id="evt_1", body=body, at=at or datetime.now(UTC))


def checks(pair: KeyPair, **changes: Any) -> dict[str, Any]:
    found = {"endpoint_id": str(ENDPOINT), "keys": {str(KEY): pair.public_pem}}
    return {**found, "secret": secret_text(SECRET), **changes}


def test_genuine_request_is_an_event(pair: KeyPair) -> None:
    event = unwrap(BODY, signed(pair), **checks(pair))
    assert isinstance(event, replies.Envelope)
    assert event.data == {"a": 1}


@pytest.mark.parametrize(
    "changes",
    [
        {"endpoint_id": str(UUID(int=9)), "secret": None},
        {"secret": secret_text(bytes(32)), "keys": None},
        {"keys": None, "secret": None},
        {"keys": {str(UUID(int=9)): "x"}, "secret": None},
    ],
)
def test_other_endpoints_keys_and_secrets_are_refused(
    pair: KeyPair, changes: dict[str, Any]
) -> None:
    with pytest.raises(NotGenuine):
        unwrap(BODY, signed(pair), **checks(pair, **changes))


@pytest.mark.parametrize("kind", [{"keys": None}, {"secret": None}])
def test_altered_and_old_requests_are_refused_by_either_signature(
    pair: KeyPair, kind: dict[str, Any]
) -> None:
    with pytest.raises(NotGenuine):
        unwrap(BODY + b" ", signed(pair), **checks(pair, **kind))
    old = datetime.now(UTC) - timedelta(hours=1)
    with pytest.raises(NotGenuine):
        unwrap(BODY, signed(pair, at=old), **checks(pair, **kind))
    with pytest.raises(NotGenuine):
        unwrap(BODY, {}, **checks(pair, **kind))


@pytest.mark.parametrize("name", ["webhook-id", "webhook-timestamp", "webhook-signature"])
@pytest.mark.parametrize("text", ["\u00b2", "\udcff", "9" * 5_000, "v1,\u00e9"])
def test_odd_headers_are_not_genuine(pair: KeyPair, name: str, text: str) -> None:
    with pytest.raises(NotGenuine):
        unwrap(BODY, {**signed(pair), name: text}, **checks(pair, keys=None))


def test_unknown_key_asks_for_the_keys_again(pair: KeyPair) -> None:
    with pytest.raises(NotGenuine) as unknown:
        unwrap(BODY, signed(pair), **checks(pair, keys={"other": pair.public_pem}))
    assert unknown.value.is_key_unknown


def test_event_that_arrives_twice_is_seen(pair: KeyPair) -> None:
    seen = RecentEvents()
    unwrap(BODY, signed(pair), **checks(pair), seen=seen)
    with pytest.raises(AlreadySeen):
        unwrap(BODY, signed(pair), **checks(pair), seen=seen)


def test_event_of_failed_work_is_handled_when_it_is_sent_again(pair: KeyPair) -> None:
    seen, handled = RecentEvents(), list[str]()

    def receive(*, is_database_down: bool) -> None:
        event = unwrap(BODY, signed(pair), **checks(pair))
        if event.event_id not in seen:
            if is_database_down:
                raise ConnectionError
            handled.append(event.event_id)
            seen.add(event.event_id)

    with pytest.raises(ConnectionError):
        receive(is_database_down=True)
    receive(is_database_down=False)
    receive(is_database_down=False)
    assert handled == ["evt_1"]


async def test_real_event_is_typed(org: Tenant, pair: KeyPair) -> None:
    await make_swap(org, await make_user(org, funds="100"))
    await placed(org.container.database)
    listed = await org.send("GET", "/v2/events?eventType=WALLET.SWAP.TRANSACTION.CREATE")
    (body,) = (each for each in listed.json()["records"] if each["eventCategory"] == "WALLET")
    raw = (await org.send("GET", f"/v2/events/{body['eventId']}")).content
    event = unwrap(raw, signed(pair, raw), **checks(pair))
    assert isinstance(event, replies.SwapEvent)
    assert event.data is not None
    assert event.data.transfer_details.status == "OPEN_QUOTE"


async def test_keys_of_an_endpoint_are_read_from_its_reply(org: Tenant) -> None:
    body = {"url": "http://127.0.0.1:9411/x", "eventTypes": ["*"]}
    made = await org.post("/v2/webhooks", body)
    (kid,) = (each["kid"] for each in made["publicKeys"])
    reply = msgspec.convert(made, replies.WebhookReply)
    assert webhooks.keys_of(reply)[kid].startswith("-----BEGIN PUBLIC KEY-----")
