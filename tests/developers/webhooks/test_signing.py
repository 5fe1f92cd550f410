"""Signatures of deliveries are verified by third-party libraries, which refuse altered ones."""

import base64
import hmac
import json
from datetime import UTC, datetime, timedelta
from functools import cache
from hashlib import sha256
from typing import Any
from uuid import UUID

import jwt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from standardwebhooks import Webhook, WebhookVerificationError

from landbridge.developers.webhooks.keys import KEY_BITS, KeyPair, new_pair, private_key
from landbridge.developers.webhooks.model import PublicKey
from landbridge.developers.webhooks.schemas import Jwks, jwks
from landbridge.developers.webhooks.signing import TOKEN_LIFE, Signer, secret_text
from landbridge.platform.http.responses import encode
from tests.developers.webhooks.endpoints import claims_of, token_of
from tests.long import examples

ORG, ENDPOINT, OTHER, KEY = (UUID(int=number) for number in range(1, 5))
ISSUER = "https://pay.example.com"
SECRET, OLD_SECRET = bytes(range(32)), bytes(32)
BODY = b'{"eventId":"evt_1"}'


@cache
def pair() -> KeyPair:
    """A key pair, shared because generating one takes a while."""
    return new_pair()


def make_signer(*secrets: bytes, **changes: Any) -> Signer:
    """Build the signer of deliveries to `ENDPOINT`."""
    fields: dict[str, Any] = {
        "issuer": ISSUER,
        "org_id": ORG,
        "endpoint_id": ENDPOINT,
        "key_id": KEY,
        "key": private_key(pair().private),
        "secrets": secrets,
        **changes,
    }
    return Signer(**fields)


def test_a_token_claims_event_endpoint_times_and_body(now: datetime) -> None:
    headers = make_signer().headers(event_id="evt_1", body=BODY, at=now)
    assert list(headers) == ["Authorization"]
    token = token_of(headers)
    assert jwt.get_unverified_header(token) == {"alg": "RS256", "typ": "JWT", "kid": str(KEY)}
    seconds = int(now.timestamp())
    assert claims_of(token, pair().public_pem, str(ENDPOINT), issuer=ISSUER) == {
        "iss": ISSUER,
        "sub": str(ORG),
        "aud": str(ENDPOINT),
        "iat": seconds,
        "exp": seconds + 300,
        "jti": "evt_1",
        "eventId": "evt_1",
        "bodySha256": sha256(BODY).hexdigest(),
    }


def signed_event(now: datetime, **members: Any) -> dict[str, Any]:
    """Return the claims of the delivery of an event with these members."""
    body = json.dumps({"eventId": "evt_1", **members}).encode()
    token = token_of(make_signer().headers(event_id="evt_1", body=body, at=now))
    return claims_of(token, pair().public_pem, str(ENDPOINT))


def test_a_token_names_the_event_as_the_body_does(now: datetime) -> None:
    names = {
        "eventType": "USER.CREATE",
        "eventAction": "CREATE",
        "eventCategory": "USER",
        "createdAt": "2026-01-02T03:04:05.678Z",
        "timestamp": "2026-01-02T03:04:06.000Z",
        "version": "v2",
    }
    claims = signed_event(now, **names, data={"eventType": "other"})
    assert {name: claims[name] for name in names} == names


@pytest.mark.parametrize(
    ("data", "signed"),
    [
        ({"id": "1", "name": "Ada Lovelace", "wallets": {"INDIVIDUAL": {}}}, {"id": "1"}),
        ({"userId": "2", "kycInfo": {"firstName": "Ada"}}, {"userId": "2"}),
        (
            {"transferType": "ONRAMP", "transferDetails": {"id": "3", "status": "PENDING"}},
            {"transferDetails": {"id": "3"}},
        ),
        ({"status": "ACTIVE"}, {}),
    ],
)
def test_a_token_has_only_the_identifiers_of_the_data(
    now: datetime, data: dict[str, Any], signed: dict[str, Any]
) -> None:
    assert signed_event(now, eventType="A.B", data=data)["data"] == signed


@pytest.mark.parametrize("data", [[], "text", {"id": 7}, {"transferDetails": []}])
def test_a_token_of_other_data_is_signed_without_it(now: datetime, data: object) -> None:
    claims = signed_event(now, eventType="A.B", data=data)
    assert claims["eventType"] == "A.B"
    assert "data" not in claims


def test_it_is_good_for_five_minutes(now: datetime) -> None:
    signer = make_signer()
    almost = signer.headers(event_id="evt_1", body=BODY, at=now - TOKEN_LIFE + timedelta(minutes=1))
    claims_of(token_of(almost), pair().public_pem, str(ENDPOINT))
    over = signer.headers(event_id="evt_1", body=BODY, at=now - TOKEN_LIFE - timedelta(seconds=1))
    with pytest.raises(jwt.ExpiredSignatureError):
        claims_of(token_of(over), pair().public_pem, str(ENDPOINT))


def test_it_is_of_no_use_at_another_endpoint_or_with_another_key(now: datetime) -> None:
    token = token_of(make_signer().headers(event_id="evt_1", body=BODY, at=now))
    with pytest.raises(jwt.InvalidAudienceError):
        claims_of(token, pair().public_pem, str(OTHER))
    with pytest.raises(jwt.InvalidSignatureError):
        claims_of(token, new_pair().public_pem, str(ENDPOINT))


def test_keys_meet_the_requirements_of_rs256() -> None:
    assert private_key(pair().private).key_size == KEY_BITS == 2048
    assert "private" not in repr(pair())
    assert "key=" not in repr(make_signer(SECRET)).replace("key_id=", "")


def test_a_key_set_equals_the_pem(now: datetime) -> None:
    token = token_of(make_signer().headers(event_id="evt_1", body=BODY, at=now))
    key = PublicKey(id=KEY, pem=pair().public_pem, signs_from=now, shown_until=None)
    key_set: Jwks = jwks([key])
    found = jwt.PyJWKSet.from_dict(json.loads(encode(key_set)))[str(KEY)]
    assert (found.key_type, found.algorithm_name, found.public_key_use) == ("RSA", "RS256", "sig")
    assert jwt.decode(token, found, algorithms=["RS256"], audience=str(ENDPOINT))["jti"] == "evt_1"


@settings(max_examples=examples(300, 60), deadline=None)
@given(st.data())
def test_no_bit_of_a_token_can_be_altered(data: st.DataObject) -> None:
    at = datetime.now(UTC)
    token = token_of(make_signer().headers(event_id="evt_1", body=BODY, at=at))
    parts = token.split(".")
    which = data.draw(st.integers(0, 2))
    raw = bytearray(_decoded(parts[which]))
    bit = data.draw(st.integers(0, len(raw) * 8 - 1))
    raw[bit // 8] ^= 1 << bit % 8
    parts[which] = base64.urlsafe_b64encode(raw).rstrip(b"=").decode()
    with pytest.raises(jwt.InvalidTokenError):
        claims_of(".".join(parts), pair().public_pem, str(ENDPOINT))


@settings(max_examples=examples(100, 30), deadline=None)
@given(body=st.binary(max_size=2_000), event_id=st.from_regex(r"\Aevt_[0-9a-f]{42}\Z"))
def test_every_body_is_proven_in_both_styles(body: bytes, event_id: str) -> None:
    headers = make_signer(SECRET).headers(event_id=event_id, body=body, at=datetime.now(UTC))
    claims = claims_of(token_of(headers), pair().public_pem, str(ENDPOINT))
    assert claims["bodySha256"] == sha256(body).hexdigest()
    assert claims["eventId"] == event_id == headers["webhook-id"]
    text = f"{event_id}.{headers['webhook-timestamp']}.".encode() + body
    assert headers["webhook-signature"] == f"v1,{_hmac(SECRET, text)}"


def test_standard_webhooks_verifies_it(now: datetime) -> None:
    headers = make_signer(SECRET).headers(event_id="evt_1", body=BODY, at=now)
    assert set(headers) == {
        *("Authorization", "webhook-id", "webhook-timestamp", "webhook-signature")
    }
    assert Webhook(secret_text(SECRET)).verify(BODY, headers) == {"eventId": "evt_1"}


def test_during_a_rotation_both_secrets_verify(now: datetime) -> None:
    headers = make_signer(SECRET, OLD_SECRET).headers(event_id="evt_1", body=BODY, at=now)
    assert len(headers["webhook-signature"].split(" ")) == 2
    for secret in (SECRET, OLD_SECRET):
        Webhook(secret_text(secret)).verify(BODY, headers)
    with pytest.raises(WebhookVerificationError):
        Webhook(secret_text(b"x" * 32)).verify(BODY, headers)


@pytest.mark.parametrize(
    ("name", "value", "body"),
    [
        ("webhook-id", "evt_1", b'{"eventId":"evt_2"}'),
        ("webhook-id", "evt_2", BODY),
        ("webhook-timestamp", "{earlier}", BODY),
        ("webhook-signature", "v1,AAAA", BODY),
    ],
    ids=["body", "id", "time", "signature"],
)
def test_standard_webhooks_refuses_an_altered_delivery(
    now: datetime, name: str, value: str, body: bytes
) -> None:
    headers = make_signer(SECRET).headers(event_id="evt_1", body=BODY, at=now)
    earlier = int(headers["webhook-timestamp"]) - 1
    altered = {**headers, name: value.format(earlier=earlier)}
    with pytest.raises(WebhookVerificationError):
        Webhook(secret_text(SECRET)).verify(body, altered)


def test_standard_webhooks_refuses_an_old_delivery(now: datetime) -> None:
    at = now - timedelta(minutes=6)
    headers = make_signer(SECRET).headers(event_id="evt_1", body=BODY, at=at)
    with pytest.raises(WebhookVerificationError):
        Webhook(secret_text(SECRET)).verify(BODY, headers)


@pytest.fixture
def now() -> datetime:
    """Real time: by it libraries judge."""
    return datetime.now(UTC)


def _decoded(part: str) -> bytes:
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))


def _hmac(secret: bytes, text: bytes) -> str:
    return base64.b64encode(hmac.digest(secret, text, "sha256")).decode()
