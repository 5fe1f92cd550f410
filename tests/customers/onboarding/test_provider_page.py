"""Hosted form of a user whom a connected provider verifies on a page of its own."""

from collections.abc import AsyncGenerator
from datetime import timedelta
from pathlib import Path

import pytest

from landbridge.customers.kyc.model import Rail
from landbridge.platform.db.pool import Database
from tests.customers.onboarding.person import Person, invite, to_the_end
from tests.providers.sidecar.identity_sidecar import VerifiedBySidecar, verified_by_sidecar

DONE, CONTINUED = "Thank you", "Continue with our identity provider"
SENTENCE = "Our identity provider may need a document or a photo from you."


@pytest.fixture
async def verified(database: Database, tmp_path: Path) -> AsyncGenerator[VerifiedBySidecar]:
    async with verified_by_sidecar(database, tmp_path) as found:
        yield found


async def _submitted(verified: VerifiedBySidecar) -> Person:
    person = await invite(verified.org, rails=["USD"])
    await to_the_end(person)
    await person.press("/submit")
    return person


async def test_a_person_continues_on_the_page_of_the_provider(verified: VerifiedBySidecar) -> None:
    verified.sidecar.state = "pending"
    person = await _submitted(verified)
    # The worker has not submitted the case yet.
    assert SENTENCE in person.text
    assert [each for each in person.page.forms if each.action.endswith("/verification")] == []
    await verified.work()
    await person.open()
    assert await person.press("/verification") == CONTINUED
    address = f"https://verify.example.com/{verified.sidecar.key}"
    assert address in person.page.links
    # Neither a cache nor the provider's server gets the address of the form, with its token.
    assert 'rel="noreferrer"' in person.text
    assert person.last.headers["cache-control"] == "no-store"
    await person.follow("/kyc/")
    assert SENTENCE in person.text


async def test_a_verified_person_has_nothing_to_continue(verified: VerifiedBySidecar) -> None:
    verified.sidecar.state = "pending"
    person = await _submitted(verified)
    await verified.work()
    await person.open()
    form = person.form("/verification")
    verified.sidecar.state = "approved"
    await verified.announce(verified.sidecar.key)
    for _ in range(2):
        await verified.work(timedelta(hours=1))
    assert SENTENCE not in (await _opened(person)).text
    late = await verified.org.client.post(form.action, data=form.values)
    assert late.status_code == 404


@pytest.mark.parametrize(("status", "answer"), [(404, 404), (500, 503)])
async def test_a_provider_without_a_page_differs_from_a_silent_one(
    verified: VerifiedBySidecar, status: int, answer: int
) -> None:
    verified.sidecar.state = "pending"
    person = await _submitted(verified)
    await verified.work()
    await person.open()
    verified.sidecar.statuses["/v1/applications/link"] = status
    await person.press("/verification")
    assert person.last.status_code == answer


async def test_only_a_rail_of_the_link_is_continued(verified: VerifiedBySidecar) -> None:
    verified.sidecar.state = "pending"
    person = await _submitted(verified)
    await verified.work()
    await person.open()
    form = person.form("/verification")
    for rail in ("", "usd", Rail.SOUTH_AMERICA_STANDARD.value):
        refused = await verified.org.client.post(form.action, data={**form.values, "rail": rail})
        assert refused.status_code == 404
    foreign = {**form.values, "session": "0" * 64}
    assert (await verified.org.client.post(form.action, data=foreign)).status_code == 404


async def _opened(person: Person) -> Person:
    await person.open()
    return person
