"""Forms without sign-in: bounds on their cost."""

from uuid import uuid4

import httpx2
import pytest
from litestar._parsers import parse_url_encoded_form_data

from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.http.forms import SIGNED_OUT_BYTES_MAX, SIGNED_OUT_FIELDS_MAX, parse_form
from tests.tenants import Tenant

FORM = {"Content-Type": "application/x-www-form-urlencoded"}
OURS = {**FORM, "Sec-Fetch-Site": "same-origin"}
SIGNED_OUT = (
    "/dashboard/sign-in",
    "/dashboard/sign-in/passkey/finish",
    "/dashboard/forgot",
    "/dashboard/reset/abc",
    "/dashboard/invitations/abc",
)


def test_fields_are_counted_before_any_is_parsed() -> None:
    assert parse_form(b"a=1&b=&a=2", fields_max=3) == {"a": ["1", "2"], "b": [""]}
    assert parse_form(b"a=%C3%A9+%ff") == {"a": ["é �"]}
    with pytest.raises(FieldInvalid, match="at most 2 fields"):
        parse_form(b"a&a&a", fields_max=2)


async def test_the_acceptance_of_terms_is_bounded(org: Tenant) -> None:
    path = f"/tos/{uuid4()}/accept"
    large = await org.client.post(path, headers=FORM, content=b"a" * 5_000)
    assert large.status_code == 413
    many = await org.client.post(path, headers=FORM, content=b"&".join([b"a"] * 100))
    assert many.status_code == 400
    none = await org.client.post(path, headers=FORM, content=b"")
    assert none.status_code == 404
    nul = await org.client.post(path, headers=FORM, content=b"session=%00")
    assert nul.status_code in {400, 404}


@pytest.mark.parametrize("path", SIGNED_OUT)
async def test_forms_of_strangers_are_bounded(client: httpx2.AsyncClient, path: str) -> None:
    large = await client.post(path, headers=OURS, content=b"a" * (SIGNED_OUT_BYTES_MAX + 1))
    assert large.status_code == 413
    many = await client.post(
        path, headers=OURS, content=b"&".join([b"a"] * (SIGNED_OUT_FIELDS_MAX + 1))
    )
    assert many.status_code in {400, 403}


@pytest.mark.parametrize("path", ["/dashboard/users/new", "/dashboard/payments/batch"])
async def test_strangers_send_no_forms_to_other_pages(
    client: httpx2.AsyncClient, path: str
) -> None:
    """They are sent on to sign in before a byte of the body is read."""
    for content in (b"", b"a" * 1_000_000):
        answer = await client.post(path, headers=OURS, content=content)
        assert answer.status_code in {303, 404, 405}


async def test_forms_are_not_kept_in_memory(org: Tenant) -> None:
    """The framework's parser caches the bodies that it has parsed."""
    before = parse_url_encoded_form_data.cache_info().currsize
    for path in (f"/tos/{uuid4()}/accept", "/dashboard/sign-in"):
        body = f"session={uuid4()}&password={uuid4()}"
        await org.client.post(path, headers=OURS, content=body)
    assert parse_url_encoded_form_data.cache_info().currsize == before
