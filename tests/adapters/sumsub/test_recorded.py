"""What the adapter sends and reads, compared with documented examples."""

import msgspec
import pytest

from landbridge_sumsub.adapter import SHARE_TOKEN_CODES
from landbridge_sumsub.applicant import applicant_body
from landbridge_sumsub.client import SumsubError, SumsubExistence, SumsubLink
from landbridge_sumsub.messages import (
    COMPLETED,
    ON_HOLD,
    PENDING_STATUSES,
    REVIEWER_LABELS,
    REVIEWS,
    SHOWN_LABELS,
    SumsubApplicant,
    SumsubReviewResult,
)
from landbridge_sumsub.sandbox import next_result
from tests.adapters.served import ROOT, recorded
from tests.adapters.sumsub.kit import COMPANY, LEVEL, application, submitted, sumsub_world
from tests.adapters.sumsub.simulation import SANDBOX_TOKEN, SHARE_TOKEN

RECORDED = ROOT / "tests/adapters/sumsub/recorded"
PAGES = (
    "https://docs.sumsub.com/",
    "https://github.com/sumsub/",
    "https://github.com/SumSubstance/",
)


def test_a_creation_has_documented_fields_only() -> None:
    example = recorded("sumsub", "create_applicant.json")
    person = applicant_body(application(), is_cross_checked=True)
    company = applicant_body(application(is_business=True, facts=COMPANY), is_cross_checked=True)
    for body in (person, company):
        assert set(body) <= set(example["fields"])
        assert body["type"] in example["types"]
        assert set(body["fixedInfo"]) <= set(example["fixed_info"])
        assert all(set(each) == set(example["metadata"][0]) for each in body["metadata"])
    assert set(company["fixedInfo"]["companyInfo"]) <= set(example["company_info"])
    like = example["company_example"]
    assert set(like["fixedInfo"]["companyInfo"]) == set(company["fixedInfo"]["companyInfo"])
    assert like["type"] == company["type"]


def test_the_documented_applicant_is_read() -> None:
    example = recorded("sumsub", "applicant.json")
    applicant = msgspec.convert(example["answer"], SumsubApplicant)
    assert (applicant.id, applicant.external_user_id) == ("5e9ad53d0a975a656d67e4d0", "1983114")
    assert applicant.item("keyFromClient") == "valueFromClient"
    review = applicant.review
    assert (review.review_status, review.level_name) == ("completed", "basic-kyc-level")
    assert review.review_result == SumsubReviewResult(review_answer="GREEN")
    assert next_result(applicant) is None


def test_documented_answers_are_read() -> None:
    unknown = msgspec.convert(recorded("sumsub", "existence.json")["unknown"], SumsubExistence)
    assert not unknown.exists
    link = msgspec.convert(recorded("sumsub", "link.json")["answer"], SumsubLink)
    assert link.url.startswith("https://")
    errors, share_token = recorded("sumsub", "error.json"), recorded("sumsub", "share_token.json")
    for answer, code in (
        (errors["answer"], 4003),
        (errors["without_code"], None),
        (share_token["expired"], None),
        (share_token["refused"], 10_513),
    ):
        assert msgspec.convert(answer, SumsubError).error_code == code


def test_tables_have_documented_values_only() -> None:
    review = recorded("sumsub", "review.json")
    assert {*PENDING_STATUSES, ON_HOLD, COMPLETED} == set(review["statuses"])
    assert {answer for answer, _ in REVIEWS} == set(review["answers"])
    assert {kind for _, kind in REVIEWS} - {None} == set(review["reject_types"])
    labels = set(recorded("sumsub", "labels.json")["labels"])
    assert labels >= SHOWN_LABELS | REVIEWER_LABELS
    assert not SHOWN_LABELS & REVIEWER_LABELS
    codes = recorded("sumsub", "share_token.json")["codes"]
    assert {int(code) for code in codes} == SHARE_TOKEN_CODES


def test_no_comment_of_sumsub_is_read() -> None:
    comments = recorded("sumsub", "review.json")["comments"]
    fields = {each.encode_name for each in msgspec.structs.fields(SumsubReviewResult)}
    assert not fields & set(comments)


async def test_calls_have_documented_members_and_headers() -> None:
    link, share_token = recorded("sumsub", "link.json"), recorded("sumsub", "share_token.json")
    async with sumsub_world() as world:
        adapter = world.adapter(share_tokens=True)
        shared = application(share_token=SHARE_TOKEN)
        key = await submitted(adapter, shared)
        await adapter.open_link(shared)  # pyright: ignore[reportArgumentType]  it has a key
        reused = next(each for each in world.sumsub.requests if "reusableIdentity" in each)
        assert reused.startswith(f"POST {share_token['path']}?")
        for name in share_token["query"]:
            assert f"{name}=" in reused
        assert set(world.sumsub.links[0]) <= set(link["request"])
        assert any(f"POST {link['path']} " in each for each in world.sumsub.requests)
        asked = recorded("sumsub", "existence.json")["path"].replace(
            "your-external-user-id", str(key)
        )
        assert f"GET {asked} " in world.sumsub.requests
    assert world.sumsub.links[0]["levelName"] == LEVEL


async def test_the_simulation_answers_with_documented_members() -> None:
    example = recorded("sumsub", "applicant.json")
    async with sumsub_world() as world:
        await submitted(world.adapter())
        shown = world.sumsub.only().shown()
    assert set(shown) <= set(example["fields"])
    assert set(shown["review"]) <= set(example["review_fields"])
    assert (
        SANDBOX_TOKEN.split(":")[0]
        == recorded("sumsub", "authentication.json")["sandbox_token"].split(":")[0]
    )


@pytest.mark.parametrize("path", sorted(RECORDED.glob("*.json")), ids=lambda path: path.name)
def test_each_example_names_its_page(path: object) -> None:
    content = msgspec.json.decode((RECORDED / str(path)).read_bytes())
    pages = content.get("sources") or [content["source"]]
    assert all(page.startswith(PAGES) for page in pages)
