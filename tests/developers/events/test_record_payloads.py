"""Every event of a payment shows its retrieve at that moment, for every outcome."""

from datetime import timedelta

import pytest

from landbridge.platform.db.pool import Database
from landbridge.providers.simulation.outcome_catalog import ScriptedStep
from tests.developers.events.event_readers import Watch, Watching, watching
from tests.matrices import each_value_once
from tests.properties.wallet_effects import accept_verb
from tests.scripted import PATHS, Cast, make_cast, pairs
from tests.tenants import Tenant

RAMPS = ("ONRAMP", "OFFRAMP")
# Outcomes that create no payment, or an ordinary one.
_ALIKE = {"unavailable", "depeg", "lost", "twice"}
# No plan, and every outcome that a sandbox can script. `make test` runs one of each step;
# `make test-long` runs all.
PLANS = each_value_once(
    [
        *((kind, "") for kind in PATHS),
        *(
            (kind, f"{outcome.step}={outcome.name}")
            for kind, outcome in pairs()
            if outcome.step is not ScriptedStep.WEBHOOK and outcome.name not in _ALIKE
        ),
    ],
    values=lambda case: [(case[1] or case[0]).partition("=")[0]],
)


@pytest.mark.parametrize(("kind", "plan"), PLANS)
async def test_every_event_shows_the_retrieve_at_its_time(
    org: Tenant, database: Database, kind: str, plan: str
) -> None:
    async with watching(org, database) as recorder:
        cast = await make_cast(recorder.org)
        if plan:
            answer = await cast.send(kind, plan)
        else:
            answer = await recorder.org.send("POST", PATHS[kind], cast.body(kind))
        if answer.status_code != 200:
            assert plan == "screening=reject"
            return
        watch = recorder.notes.watch(recorder.org, kind, answer.json()["transferDetails"])
        await _play_out(recorder, cast, watch)
        types = await watch.check()
    # A status that a ramp leaves within its transaction is never sent.
    is_first = "TRANSACTION.CREATE" if kind in {*RAMPS, "WALLET.SWAP"} else "CREATE"
    assert types[0] == f"{kind}.{is_first}"
    assert len(types) > 1


async def _play_out(recorder: Watching, cast: Cast, watch: Watch) -> None:
    """Complete a payment by every possible action and by time, recording each step."""
    kind, created = watch.kind, {"id": str(watch.id)}
    path = f"{PATHS[kind]}/{watch.id}"
    for after in (timedelta(), timedelta(), timedelta(hours=2), timedelta(hours=25), timedelta()):
        await watch.note()
        match (await cast.shown(kind, created))["status"]:
            case "PENDING_APPROVAL":
                (approval,) = (await recorder.org.get("/v2/transfer-approvals"))["approvals"]
                await recorder.org.post(f"/v2/transfer-approvals/{approval['id']}/approve")
                await watch.note()
                if kind == "WALLET.BRIDGE":
                    await recorder.org.send("POST", path + accept_verb(path))
            case "OPEN_QUOTE":
                await recorder.org.send("POST", path + accept_verb(path))
            case "IN_REVIEW":
                await recorder.org.post(
                    f"/v2/sandbox/transfers/{watch.id}/rfi", {"action": "close"}
                )
            case _:
                pass
        await watch.note()
        if (await cast.shown(kind, created))["status"] == "AWAITING_FUNDS":
            await recorder.org.post(f"/v2/sandbox/onramps/{watch.id}/deposit", {})
        await recorder.work(after=after)
