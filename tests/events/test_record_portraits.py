"""Every event of a payment shows what its retrieve answered at that moment, whatever came of it."""

from datetime import timedelta

import pytest

from landbridge.db.pool import Database
from landbridge.simulation.outcomes import Step
from tests.forced import PATHS, Cast, make_cast, pairs
from tests.properties.tale import accept_verb
from tests.tenants import Tenant

from .watching import Watch, Watching, watching

RAMPS = ("ONRAMP", "OFFRAMP")
# What makes no payment, or one that goes the way of all others.
_ALIKE = {"unavailable", "depeg", "lost", "twice"}
# Nothing, and everything else that a sandbox can be asked for.
PLANS = [(kind, "") for kind in PATHS] + [
    (kind, f"{outcome.step}={outcome.name}")
    for kind, outcome in pairs()
    if outcome.step is not Step.WEBHOOK and outcome.name not in _ALIKE
]


@pytest.mark.parametrize(("kind", "plan"), PLANS)
async def test_every_event_shows_what_was_retrieved_then(
    org: Tenant, database: Database, kind: str, plan: str
) -> None:
    async with watching(org, database) as seen:
        cast = await make_cast(seen.org)
        if plan:
            answer = await cast.ask(kind, plan)
        else:
            answer = await seen.org.send("POST", PATHS[kind], cast.body(kind))
        if answer.status_code != 200:
            assert plan == "screening=reject"
            return
        watch = seen.notes.watch(seen.org, kind, answer.json()["transferDetails"])
        await _play_out(seen, cast, watch)
        types = await watch.check()
    # What a ramp is for no time at all is never sent.
    is_first = "TRANSACTION.CREATE" if kind in {*RAMPS, "WALLET.SWAP"} else "CREATE"
    assert types[0] == f"{kind}.{is_first}"
    assert len(types) > 1


async def _play_out(seen: Watching, cast: Cast, watch: Watch) -> None:
    """All that anybody can do for it, and then time, with notes in between."""
    kind, made = watch.kind, {"id": str(watch.id)}
    path = f"{PATHS[kind]}/{watch.id}"
    for after in (timedelta(), timedelta(), timedelta(hours=2), timedelta(hours=25), timedelta()):
        await watch.note()
        match (await cast.shown(kind, made))["status"]:
            case "PENDING_APPROVAL":
                (asked,) = (await seen.org.get("/v2/transfer-approvals"))["approvals"]
                await seen.org.post(f"/v2/transfer-approvals/{asked['id']}/approve")
                await watch.note()
                if kind == "WALLET.BRIDGE":
                    await seen.org.send("POST", path + accept_verb(path))
            case "OPEN_QUOTE":
                await seen.org.send("POST", path + accept_verb(path))
            case "IN_REVIEW":
                await seen.org.post(f"/v2/sandbox/transfers/{watch.id}/rfi", {"action": "close"})
            case _:
                pass
        await watch.note()
        if (await cast.shown(kind, made))["status"] == "AWAITING_FUNDS":
            await seen.org.post(f"/v2/sandbox/onramps/{watch.id}/deposit", {})
        await seen.work(after=after)
