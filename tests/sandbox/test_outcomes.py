"""List of scripted outcomes, and the header on routes that refuse it."""

import re
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import msgspec
import pytest

from landbridge.app.container import wire
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from landbridge.platform.orgs.model import Mode
from landbridge.providers.simulation.outcome_catalog import CATALOGUE
from landbridge.providers.simulation.outcome_plans import format_delay
from landbridge.providers.simulation.scripted_outcomes import ScriptedOutcomes
from tests.scripted import HEADER, PATHS, force, make_cast
from tests.tenants import (
    SETTINGS,
    SWAPS,
    Tenant,
    good,
    make_tenant,
    refusal,
    sentence,
    served,
    swap_body,
)

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "sandbox.md"
OUTCOMES = "/v2/sandbox/outcomes"
REFUSED = "400 FIELD_VALIDATION_ERROR"
ONLY = "403 USER_ACTION_NOT_ALLOWED"
# As documented, in the order of the catalogue.
_NAMES = {
    "WALLET.SWAP": "swaps",
    "WALLET.TRANSFER": "transfers",
    "WALLET.TRANSFER.BATCH": "batches",
    "WALLET.BRIDGE": "bridges",
    "ONRAMP": "onramps",
    "OFFRAMP": "offramps",
}


async def test_all_outcomes_are_listed(org: Tenant) -> None:
    listed = await org.get(OUTCOMES)
    assert listed["header"] == HEADER
    assert len(listed["outcomes"]) == len(CATALOGUE)
    assert listed["outcomes"][-1] == {
        "step": "webhook",
        "outcome": "twice",
        "description": "each event of the payment is delivered twice at once, with the same "
        "`eventId`",
        "transferTypes": list(_NAMES),
        "defaultDelay": None,
    }
    assert {each["defaultDelay"] for each in listed["outcomes"] if each["outcome"] == "return"} == {
        "3d"
    }


def test_the_page_has_the_table_of_the_catalogue() -> None:
    rows = [
        f"| `{each.step}={each.name}` | {', '.join(_NAMES[kind] for kind in each.kinds)} | "
        f"{each.description} | {_shown(each.delay)} |".replace("|  |", "| |")
        for each in CATALOGUE
    ]
    row = re.compile(r"^\| `[a-z_]+=[a-z]+` \|.*$", re.MULTILINE)
    found = row.findall(PAGE.read_text(encoding="utf-8"))
    assert found == rows, "\n".join(["Write these rows:", *rows])


@pytest.mark.parametrize("kind", PATHS)
async def test_a_plan_that_can_not_be_read_makes_nothing(org: Tenant, kind: str) -> None:
    cast = await make_cast(org)
    body = cast.body(kind)
    for plan in ("", "payout", "webhook=lost", "screening=late"):
        answer = await cast.send(kind, plan, body)
        assert refusal(answer) == REFUSED
        assert sentence(answer).startswith(f"{HEADER}: ")
    # The request id can still be used.
    good(await cast.send(kind, "screening=reject" if kind == "WALLET.SWAP" else "screening=review"))
    good(await org.send("POST", PATHS[kind], body))


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/v2/wallets/swaps", None),
        ("POST", "/v2/sandbox/clock/advance", {"seconds": 0}),
        ("POST", "/v2/offramps/00000000-0000-0000-0000-000000000000/quote/accept", None),
        ("GET", OUTCOMES, None),
    ],
)
async def test_the_header_is_refused_where_nothing_is_created(
    org: Tenant, method: str, path: str, body: Any
) -> None:
    answer = await force(org, path, body, "payout=return", method)
    assert refusal(answer) == REFUSED
    assert "belongs to the request that creates a payment" in sentence(answer)


async def test_dry_run_is_refused_for_routes_that_create_nothing(org: Tenant) -> None:
    answer = await org.send("POST", "/v2/sandbox/clock/advance", {"seconds": 0}, dryRun="true")
    assert refusal(answer) == REFUSED
    assert "this one has no dry run" in sentence(answer)


async def test_a_plan_is_accepted_once(org: Tenant) -> None:
    cast = await make_cast(org)
    for second in ("chain_send=late", "chain_send=reject"):
        headers = [*org.headers.items(), (HEADER, "chain_send=reject"), (HEADER, second)]
        kind = "WALLET.TRANSFER"
        answer = await org.client.post(PATHS[kind], json=cast.body(kind), headers=headers)
        assert refusal(answer) == REFUSED
        assert sentence(answer).startswith("Landbridge-Sandbox is given twice")


async def test_a_quote_that_is_over_is_for_payments_without_an_approval(org: Tenant) -> None:
    cast = await make_cast(org)
    answer = await cast.send("WALLET.BRIDGE", "quote=expire;screening=review")
    assert refusal(answer) == REFUSED
    assert "quoted after its approval" in sentence(answer)


@pytest.mark.parametrize("plan", ["chain_send=lost", "confirmation=reject"])
async def test_a_swap_in_the_ledger_has_no_order_to_script(org: Tenant, plan: str) -> None:
    cast = await make_cast(org)
    answer = await cast.send("WALLET.SWAP", plan, swap_body(cast.payer, "10"))
    assert refusal(answer) == REFUSED
    assert f"{plan} is for coins that move on a chain" in sentence(answer)
    # Its acceptance may still be refused.
    good(await cast.send("WALLET.SWAP", "chain_send=reject", swap_body(cast.payer, "10")))


async def test_a_bank_that_is_not_the_sandboxes_keeps_to_no_plan(database: Database) -> None:
    scripted_outcomes = ScriptedOutcomes(database, is_sandbox=True, has_bank=False)
    assert scripted_outcomes.parse_header("chain_send=lost", "OFFRAMP") is not None
    with pytest.raises(FieldInvalid, match="payout can't be scripted, since fiat does not go"):
        scripted_outcomes.parse_header("payout=return", "OFFRAMP")
    with pytest.raises(FieldInvalid, match="deposit can't be scripted, since fiat does not go"):
        scripted_outcomes.parse_header("deposit=late", "ONRAMP")
    assert scripted_outcomes.parse_header("chain_send=lost", "ONRAMP") is not None


async def test_nothing_is_forced_in_production(own_database: Database) -> None:
    settings = msgspec.structs.replace(SETTINGS, mode=Mode.PRODUCTION)
    container = wire(settings, own_database, Clock(await take_node(own_database)))
    async with served(container) as client:
        real = await make_tenant(container, client)
        assert await real.refused("GET", OUTCOMES) == ONLY
        body = swap_body(str(uuid4()))
        for plan in ("quote=expire", "nonsense"):
            assert refusal(await force(real, SWAPS, body, plan)) == ONLY
        # Without a plan it is refused for its content, as always.
        assert await real.refused("POST", SWAPS, body) == "404 USER_NOT_FOUND"
    assert not await container.scripted_outcomes.list_plans(real.org_id, [uuid4()])


def _shown(delay: timedelta | None) -> str:
    return "" if delay is None else f"`{format_delay(delay)}`"
