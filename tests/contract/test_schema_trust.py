"""The OpenAPI document is exact: values that it allows are well-formed, others are refused.

A request that the document allows never gets a 5xx, and is never refused for the format of one
value. It may be refused for reasons that no schema can state; UNSTATED lists those sentences, by
reason.
"""

import copy
import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

import httpx2
import pytest

from tests.contract.resources import QUERIES, Things, bodies, make_things
from tests.contract.schema_requests import (
    GeneratedRequest,
    Operation,
    drawn,
    operations,
    problems,
    send_request,
    values_for,
)
from tests.contract.schema_values import ABSENT, Breach, Values
from tests.tenants import Tenant

EXAMPLES = 1
EXAMPLES_LONG = 60
_SHOWN_MAX = 300

# These operations would disturb the others: they run in another organisation, and the clock, which
# may run a century ahead, is set last.
UPSETTING = re.compile(
    r"DELETE .*|.*/freeze|.*/personal-data|.*/unfreeze|POST /v2/reviews/.*|POST /v2/sandbox/.*"
)
CLOCK = "POST /v2/sandbox/clock/advance"

UNSTATED = {
    "goes by another member": (
        r"exclude each other|goes? with|does not belong to|is for calculationModel|is for .* only",
        r"give (either|maxUsd|one|exactly one|recipientIds)|either .* or |or ipAddress is required",
        r"is required when|one with hasControl",
        # Blanks alone: no schema says which characters those are.
        r"^q must have 1 to",
        r"userType( is required for|: leave it out)|rails must name|a REVERSAL (takes|only)",
        r"only a REVERSAL",
        r"tell one of|rejectReasons: |comment is required|is required: |can't stand beside",
        r"returnAddress requires|must be a fraction from 0 to 1",
        r"rules\[\d+\]\.(value is required|tiers)|percentages sum|must be later than",
        r"(must be|one of) .* for (type|usd)|is required for type|\.type must be|at least one must",
        r"must be the second half|is not a tax number|must be after|only one of them|times? zone",
        r"name a template|leave it out|is not a parameter of|has whole days|is required$",
        r"a PERCENT is|fee.value is more|one payment is always one|must be the one in the path",
        r"(breakdowns|Types|Statuses|breakdown) (must be one of|are not offered)|has more than \d",
        # A definition of a template: what its members allow each other.
        r"definition(\.\w+)+ (must|is|contradicts|and|has)|template or definition|beside template",
        r"must be one of .* when |is too large|\.id: .* is taken|developerFee goes",
        r"has two values of |(vaspName|travelAddress) is (of )?the provider",
        r"person is the third party|takes one value",
    ),
    "goes by what there is": (
        r"there is no |is the id of no|names no terms link|stays so|only a business|of yours",
        r"does not belong to this link|database was restored|is not the nextCursor|cursor is no ",
        r"or one of the organisation's own|the saved metric has its own",
        r"has no document|KYC data has no such field|must be the id of an owner|at most \d+ doc",
        r"IANA|timeZone must be|must be one of DRIVERS|\.(type|subType) must be one of",
        r"^type must be|is used for another user|not supported|goes to|never changes",
        r"is taken by another template|is not one of the challenge|does not swap|is chosen twice",
        r"has no market|has no value of gas|nobody can take a share token|no members of the organ",
    ),
    "goes by the time": (
        r"day in the past|years ago|after today|still to come|lies too far|at most a century",
    ),
    "is arithmetic": (
        r"check digits|no bank has such|wrong checksum|where coins are lost|32 bytes",
        r"0x followed by|characters of base58|phone number with its country|neither the address",
        r"must be a travel address|must be a host in lower case",
    ),
}
_UNSTATED = re.compile("|".join(each for group in UNSTATED.values() for each in group))


async def test_documented_values_are_not_refused_for_their_form(
    org: Tenant, other_org: Tenant
) -> None:
    await _check_allowed(org, other_org, EXAMPLES)


@pytest.mark.long
async def test_documented_values_are_not_refused_for_their_form_in_many_examples(
    org: Tenant, other_org: Tenant
) -> None:
    await _check_allowed(org, other_org, EXAMPLES_LONG)


async def test_undocumented_values_are_refused(org: Tenant, other_org: Tenant) -> None:
    document = await _document(org)
    mine, theirs = await make_things(org), await make_things(other_org)
    accepted: list[str] = []
    count = named = 0
    for operation in _ordered(document):
        upsets = UPSETTING.fullmatch(str(operation)) is not None
        tenant, things = (other_org, theirs) if upsets else (org, mine)
        for path, breach, sent in _forbidden(document, operation, things):
            answer = await send_request(tenant, operation, sent)
            count += 1
            named += path.rpartition(".")[2] in answer.text or "NUL" in answer.text
            if not _is_refused(answer):
                accepted.append(f"{operation} {path} {breach.keyword}: {answer.status_code}")
    assert accepted == []
    # Any server would satisfy a document that states next to nothing.
    assert count > 1000
    # Most are refused for that value, not for another error.
    assert named > count * 0.75, named / count


async def _check_allowed(org: Tenant, other_org: Tenant, examples: int) -> None:
    document = await _document(org)
    mine, theirs = await make_things(org), await make_things(other_org)
    # By sentence, with the first request that it answered.
    refused: dict[str, str] = {}
    for operation in _ordered(document):
        upsets = UPSETTING.fullmatch(str(operation)) is not None
        tenant, things = (other_org, theirs) if upsets else (org, mine)
        for sent in drawn(operation, values_for(document, operation, things), examples):
            answer = await send_request(tenant, operation, sent)
            assert answer.status_code < 500, (str(operation), sent, answer.text)
            for problem in problems(answer):
                if _UNSTATED.search(problem) is None:
                    request = f"{operation} {sent.query} {sent.body!a}"
                    refused.setdefault(problem, request[:_SHOWN_MAX])
    assert not refused, "\n".join(f"{each}: {refused[each]}" for each in refused)


async def _document(org: Tenant) -> dict[str, Any]:
    return (await org.client.get("/openapi.json")).json()


def _ordered(document: Mapping[str, Any]) -> list[Operation]:
    return sorted(operations(document), key=lambda each: str(each) == CLOCK)


def _is_refused(answer: httpx2.Response) -> bool:
    return 400 <= answer.status_code < 500


def _forbidden(
    document: Mapping[str, Any], operation: Operation, things: Things
) -> Iterator[tuple[str, Breach, GeneratedRequest]]:
    """Requests that are good but for one value, or a member that is missing or unknown."""
    values = values_for(document, operation, things)
    path, query = operation.at(values.names), QUERIES.get(str(operation), {})
    query = {name: each for name, each in query.items() if each}
    body = bodies(things).get(str(operation)) if operation.body is not None else None
    for parameter in operation.parameters:
        name = parameter["name"]
        if parameter["in"] != "query":
            continue
        for breach in values.breaches(parameter["schema"]):
            # A query has no types, and an empty list is no parameter.
            if breach.keyword not in {"type", "minItems"}:
                yield name, breach, GeneratedRequest(path, {**query, name: breach.value}, body)
        if parameter.get("required"):
            rest = {each: value for each, value in query.items() if each != name}
            yield name, Breach("required", ABSENT), GeneratedRequest(path, rest, body)
    if operation.body is not None:
        for member_path, breach in _members(values, operation.body, body):
            broken = breach.value if not member_path else _with(body, member_path, breach.value)
            yield ".".join(map(str, member_path)), breach, GeneratedRequest(path, query, broken)


def _members(
    values: Values, schema: Mapping[str, Any], good: Any, path: tuple[str | int, ...] = ()
) -> Iterator[tuple[tuple[str | int, ...], Breach]]:
    """Yield each way to break a keyword in a valid body, by path."""
    if path:
        for breach in values.breaches(schema):
            yield path, breach
    variant = values.variant(schema, good)
    if isinstance(good, list) and "items" in variant and good:
        yield from _members(values, variant["items"], good[0], (*path, 0))
    if not isinstance(good, dict):
        return
    for name in variant.get("required", ()):
        yield (*path, name), Breach("required", ABSENT)
    if variant.get("additionalProperties") is False:
        yield (*path, "noSuchMember"), Breach("additionalProperties", 1)
    members = cast("dict[str, Any]", good)
    for name, each in variant.get("properties", {}).items():
        yield from _members(values, each, members.get(name), (*path, name))


def _with(body: Any, path: tuple[str | int, ...], value: Any) -> Any:
    """Return the body with this value at a path; without the member if the value is `ABSENT`."""
    broken = copy.deepcopy(body)
    inside = broken
    for each in path[:-1]:
        inside = inside[each]
    if value is ABSENT:
        inside.pop(path[-1], None)
    else:
        inside[path[-1]] = value
    return broken
