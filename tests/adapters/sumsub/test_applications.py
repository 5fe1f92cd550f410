"""Applications at Sumsub: one applicant per key, whatever is lost, refused or repeated."""

import asyncio
from collections.abc import AsyncGenerator
from typing import Any
from urllib.parse import quote

import pytest

from landbridge.platform.core.ids import new_id
from landbridge.providers.packages.http_client import NoAnswer
from landbridge.providers.packages.interface import (
    ApplicationKey,
    ApplicationOwner,
    ApplicationRefusalCode,
    ApplicationRefused,
    ApplicationState,
    KeyConflict,
    NotDone,
)
from tests.adapters.sumsub.kit import (
    BUSINESS_LEVEL,
    COMPANY,
    LEVEL,
    SumsubWorld,
    application,
    document,
    found_by,
    submitted,
    sumsub_world,
)
from tests.adapters.sumsub.simulation import SHARE_TOKEN


@pytest.fixture
async def world() -> AsyncGenerator[SumsubWorld]:
    async with sumsub_world() as found:
        yield found


async def test_an_applicant_has_our_key_its_level_and_what_is_compared(world: SumsubWorld) -> None:
    request = application()
    made = await world.adapter().create_application(request)
    applicant = world.sumsub.only()
    assert (applicant.external_user_id, applicant.level) == (str(request.key), LEVEL)
    assert (made.state, made.provider_reference) == (ApplicationState.CREATED, applicant.id)
    assert applicant.content["type"] == "individual"
    assert applicant.content["fixedInfo"] == {
        "firstName": "Ada",
        "lastName": "Person-Marker",
        "dob": "1990-01-31",
    }


async def test_without_a_cross_check_nothing_about_the_person_is_sent(world: SumsubWorld) -> None:
    adapter = world.adapter(cross_check=False)
    key = await submitted(adapter)
    await adapter.attach_document(document(key))
    assert "Person-Marker" not in "".join(world.sumsub.requests)
    assert "1990-01-31" not in "".join(world.sumsub.requests)


async def test_a_business_has_its_own_level_and_company_data(world: SumsubWorld) -> None:
    owner = ApplicationOwner(id=new_id(), facts={"lastName": "Holder"}, last_name="Holder")
    request = application(
        is_business=True, facts=COMPANY, last_name=None, business_name="x", owners=(owner,)
    )
    await world.adapter().create_application(request)
    applicant = world.sumsub.only()
    assert (applicant.level, applicant.content["type"]) == (BUSINESS_LEVEL, "company")
    company = {"companyName": "Example Ltd", "country": "GBR", "registrationNumber": "12345678"}
    assert applicant.content["fixedInfo"] == {"companyInfo": company}
    without = application(is_business=True, facts={}, last_name=None, business_name="Example Ltd")
    await world.adapter().create_application(without)
    assert "fixedInfo" not in world.sumsub.applicants[str(without.key)].content


@pytest.mark.parametrize(
    "changes", [{"rail": "SOUTH_AMERICA_STANDARD"}, {"is_business": True}, {"test_outcome": "x"}]
)
async def test_what_the_settings_do_not_have_is_refused(
    world: SumsubWorld, changes: dict[str, Any]
) -> None:
    adapter = world.adapter(levels={"USD": {"individual": LEVEL}})
    with pytest.raises(ApplicationRefused) as refused:
        await adapter.create_application(application(**changes))
    assert refused.value.code is ApplicationRefusalCode.UNSUPPORTED
    assert not world.sumsub.applicants


async def test_a_known_applicant_is_not_refused_by_other_settings(world: SumsubWorld) -> None:
    request = application()
    await world.adapter().create_application(request)
    other = world.adapter(levels={"EUR": {"individual": LEVEL}})
    assert (await other.create_application(request)).state is ApplicationState.CREATED


async def test_a_key_is_one_applicant_however_often_and_concurrently(world: SumsubWorld) -> None:
    request = application()
    answers = await asyncio.gather(*(world.adapter().create_application(request) for _ in range(5)))
    answers.append(await world.adapter().create_application(request))
    assert len({each.provider_reference for each in answers}) == len(world.sumsub.applicants) == 1


async def test_another_applicant_under_a_known_key_is_a_conflict(world: SumsubWorld) -> None:
    request = application()
    await world.adapter().create_application(request)
    with pytest.raises(KeyConflict):
        await world.adapter().create_application(application(request.key, last_name="Other"))


@pytest.mark.parametrize("fault", ["silent", "broken"])
async def test_a_creation_without_an_answer_is_found_again(world: SumsubWorld, fault: str) -> None:
    request = application()
    getattr(world.sumsub, fault).add("create")
    with pytest.raises(NoAnswer):
        await world.adapter(timeout_s=1).create_application(request)
    getattr(world.sumsub, fault).clear()
    made = await world.adapter().create_application(request)
    assert made.provider_reference == world.sumsub.only().id
    assert world.sumsub.calls["create"] == 1


async def test_an_applicant_that_is_not_shown_yet_is_no_answer(world: SumsubWorld) -> None:
    request = application()
    world.sumsub.hidden_queries = 1
    with pytest.raises(NoAnswer, match="does not show an applicant"):
        await world.adapter().create_application(request)
    await world.adapter().create_application(request)
    assert len(world.sumsub.applicants) == 1


@pytest.mark.parametrize(
    ("refusal", "error"),
    [
        ((401, 4003), NotDone),
        ((401, None), NotDone),
        ((403, None), NotDone),
        ((429, None), NotDone),
        ((400, None), NoAnswer),
        ((400, 10_503), NoAnswer),
        ((404, None), NoAnswer),
        ((409, None), NoAnswer),
        ((500, None), NoAnswer),
    ],
)
async def test_an_error_of_a_creation_declines_and_refuses_nobody(
    world: SumsubWorld, refusal: tuple[int, int | None], error: type[Exception]
) -> None:
    world.sumsub.refuses["create"] = refusal
    with pytest.raises(error) as raised:
        await world.adapter().create_application(application())
    assert "Error-Marker" not in str(raised.value)
    assert not world.sumsub.applicants


@pytest.mark.parametrize("call", ["exists", "get"])
async def test_a_query_that_is_not_answered_creates_nobody(world: SumsubWorld, call: str) -> None:
    request = application()
    await world.adapter().create_application(request)
    for refusal, error in (
        ((401, 4003), NotDone),
        ((404, None), NoAnswer),
        ((502, None), NoAnswer),
    ):
        world.sumsub.refuses[call] = refusal
        with pytest.raises(error):
            await world.adapter().create_application(request)
        with pytest.raises(error):
            await world.adapter().find_application(ApplicationKey(key=request.key))
    assert world.sumsub.calls["create"] == 1


@pytest.mark.parametrize(
    ("call", "content"),
    [
        ("exists", b"{}"),
        ("exists", b'{"exists": true}'),
        ("exists", b'{"exists": true, "applicant": {"id": 7}}'),
        ("exists", b'{"exists": "false"}'),
        ("get", b"[]"),
        ("get", b'{"id": "a", "externalUserId": "b", "review": {"reviewStatus": "init"}}'),
    ],
)
async def test_an_answer_that_is_not_valid_is_no_answer(
    world: SumsubWorld, call: str, content: bytes
) -> None:
    key = await submitted(world.adapter())
    world.sumsub.garbled[call] = content
    with pytest.raises(NoAnswer):
        await world.adapter().find_application(ApplicationKey(key=key))


async def test_documents_are_not_sent_and_a_submission_is_kept_at_sumsub(
    world: SumsubWorld,
) -> None:
    request = application()
    adapter = world.adapter()
    await adapter.create_application(request)
    world.sumsub.only().metadata.append({"key": "of others", "value": {"a": 1}})
    attached = await adapter.attach_document(document(request.key))
    assert attached.state is ApplicationState.CREATED
    for _ in range(2):
        answer = await world.adapter().submit_application(ApplicationKey(key=request.key))
        assert answer.state is ApplicationState.PENDING
    assert world.sumsub.calls["change"] == 1
    assert {"key": "of others", "value": {"a": 1}} in world.sumsub.only().metadata
    # A creation that arrives late does not take it back.
    late = await world.adapter().create_application(request)
    assert late.state is ApplicationState.PENDING


async def test_a_submission_that_sumsub_does_not_show_is_no_answer(world: SumsubWorld) -> None:
    request = application()
    await world.adapter().create_application(request)
    world.sumsub.loses_metadata = True
    with pytest.raises(NoAnswer, match="does not show a submission"):
        await world.adapter().submit_application(ApplicationKey(key=request.key))


@pytest.mark.parametrize(("refusal", "error"), [((429, None), NotDone), ((400, None), NoAnswer)])
async def test_a_submission_that_is_refused_is_repeated(
    world: SumsubWorld, refusal: tuple[int, int | None], error: type[Exception]
) -> None:
    request = application()
    await world.adapter().create_application(request)
    world.sumsub.refuses["change"] = refusal
    with pytest.raises(error):
        await world.adapter().submit_application(ApplicationKey(key=request.key))
    world.sumsub.refuses.clear()
    answer = await world.adapter().submit_application(ApplicationKey(key=request.key))
    assert answer.state is ApplicationState.PENDING


async def test_an_unknown_key_is_unknown(world: SumsubWorld) -> None:
    query = ApplicationKey(key=new_id())
    adapter = world.adapter()
    assert await adapter.find_application(query) is None
    assert await adapter.open_link(query) is None
    for call in (adapter.submit_application(query), adapter.attach_document(document(query.key))):
        with pytest.raises(NotDone):
            await call
    assert not world.sumsub.applicants


async def test_a_share_token_makes_the_applicant_of_our_key(world: SumsubWorld) -> None:
    world.sumsub.reused_review = {
        "reviewStatus": "completed",
        "reviewResult": {"reviewAnswer": "GREEN"},
    }
    adapter, request = world.adapter(share_tokens=True), application(share_token=SHARE_TOKEN)
    made = await adapter.create_application(request)
    # Nothing is decided before our submission.
    assert made.state is ApplicationState.CREATED
    assert (await adapter.create_application(request)).state is ApplicationState.CREATED
    answer = await adapter.submit_application(ApplicationKey(key=request.key))
    assert answer.state is ApplicationState.APPROVED
    assert world.sumsub.only().external_user_id == str(request.key)
    assert world.sumsub.calls["reuse"] == 1
    assert world.sumsub.only().level == LEVEL
    assert f"levelName={quote(LEVEL)}" in "".join(world.sumsub.requests)
    with pytest.raises(KeyConflict):
        await adapter.create_application(application(request.key, last_name="Other"))


async def test_a_share_token_without_an_answer_is_found_again(world: SumsubWorld) -> None:
    request = application(share_token=SHARE_TOKEN)
    world.sumsub.silent.add("reuse")
    with pytest.raises(NoAnswer):
        await world.adapter(share_tokens=True, timeout_s=1).create_application(request)
    world.sumsub.silent.clear()
    await world.adapter(share_tokens=True).create_application(request)
    assert world.sumsub.calls["reuse"] == len(world.sumsub.applicants) == 1


async def test_share_tokens_are_refused_unless_the_settings_take_them(world: SumsubWorld) -> None:
    with pytest.raises(ApplicationRefused) as refused:
        await world.adapter().create_application(application(share_token=SHARE_TOKEN))
    assert refused.value.code is ApplicationRefusalCode.SHARE_TOKEN_INVALID
    assert set(world.sumsub.calls) == {"exists"}


async def test_a_share_token_that_has_expired_is_refused(world: SumsubWorld) -> None:
    with pytest.raises(ApplicationRefused) as refused:
        await world.adapter(share_tokens=True).create_application(application(share_token="old"))
    assert refused.value.code is ApplicationRefusalCode.SHARE_TOKEN_INVALID


@pytest.mark.parametrize(
    ("refusal", "error"),
    [
        ((400, 10_501), ApplicationRefused),
        ((400, 10_513), ApplicationRefused),
        ((400, 10_521), ApplicationRefused),
        ((401, None), ApplicationRefused),
        # Our own keys.
        ((401, 4003), NotDone),
        ((403, None), NotDone),
        # In no table.
        ((400, None), NoAnswer),
        ((400, 10_520), NoAnswer),
        ((400, 10_522), NoAnswer),
    ],
)
async def test_errors_about_a_share_token(
    world: SumsubWorld, refusal: tuple[int, int | None], error: type[Exception]
) -> None:
    world.sumsub.refuses["reuse"] = refusal
    request = application(share_token=SHARE_TOKEN)
    with pytest.raises(error) as raised:
        await world.adapter(share_tokens=True).create_application(request)
    assert SHARE_TOKEN not in str(raised.value)


async def test_a_link_is_for_the_applicant_and_its_level(world: SumsubWorld) -> None:
    key = await submitted(world.adapter())
    link = await world.adapter(link_ttl_s=900).open_link(ApplicationKey(key=key))
    assert link is not None
    assert (link.key, link.url, link.expires_in_seconds) == (key, world.sumsub.link, 900)
    assert world.sumsub.links == [{"levelName": LEVEL, "userId": str(key), "ttlInSecs": 900}]
    # The level is the applicant's, also after the settings have changed.
    await world.adapter(levels={"USD": {"individual": "another"}}).open_link(
        ApplicationKey(key=key)
    )
    assert world.sumsub.links[1]["levelName"] == LEVEL


@pytest.mark.parametrize(
    "address", ["http://in.sumsub.example/p", "javascript:alert(1)", "https://" + "a" * 2_000]
)
async def test_a_link_that_is_no_address_is_no_answer(world: SumsubWorld, address: str) -> None:
    key = await submitted(world.adapter())
    world.sumsub.link = address
    with pytest.raises(NoAnswer) as raised:
        await world.adapter().open_link(ApplicationKey(key=key))
    assert address not in str(raised.value)


@pytest.mark.parametrize(("refusal", "error"), [((401, 4003), NotDone), ((400, None), NoAnswer)])
async def test_a_link_that_is_refused(
    world: SumsubWorld, refusal: tuple[int, int | None], error: type[Exception]
) -> None:
    key = await submitted(world.adapter())
    world.sumsub.refuses["link"] = refusal
    with pytest.raises(error):
        await world.adapter().open_link(ApplicationKey(key=key))


async def test_an_applicant_without_a_level_has_no_link(world: SumsubWorld) -> None:
    key = await submitted(world.adapter())
    world.sumsub.lies = {"review": {"reviewStatus": "init"}}
    with pytest.raises(NoAnswer, match="no level"):
        await world.adapter().open_link(ApplicationKey(key=key))


async def test_another_applicant_in_the_answer_is_no_answer(world: SumsubWorld) -> None:
    key = await submitted(world.adapter())
    for lie in ({"externalUserId": str(new_id())}, {"id": "f" * 24}):
        world.sumsub.lies = lie
        with pytest.raises(NoAnswer, match="about another applicant"):
            await found_by(world.adapter(), key)
