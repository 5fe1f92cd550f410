"""Saved metrics: roles, bounds, concurrency, and commits whose reply was lost."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any
from uuid import UUID, uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typing_extensions import override

from landbridge.app.container import wire
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import Busy, FieldsInvalid, RoleNotAllowed
from landbridge.platform.core.ids import new_id
from landbridge.platform.core.optimistic_retry import ATTEMPTS_MAX
from landbridge.platform.db.pool import Tx
from landbridge.platform.http.caller import Caller, MemberRole, SignedInMember
from landbridge.platform.orgs.clock_nodes import take_node
from landbridge.reporting.metrics import saved_store
from landbridge.reporting.metrics.calculator import Calculator
from landbridge.reporting.metrics.model import MetricQuery, MetricTemplate
from landbridge.reporting.metrics.saved import SavedMetrics
from landbridge.reporting.metrics.saved_model import METRICS_MAX, PARAMS_BYTES_MAX
from tests.platform.db.test_lost_commits import Forgetful
from tests.reporting.metrics.record_history import fold
from tests.reporting.metrics.saved_metrics import JANUARY, METRICS, changes_of, save
from tests.reporting.metrics.test_zones import set_zone
from tests.tenants import SETTINGS, Tenant, refusal

REQUIRED = ("createdAfter", "createdBefore", "calculationInterval")
USERS = [str(UUID(int=number)) for number in range(3)]


def some(values: list[str]) -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from(values), max_size=2, unique=True)


# Valid and invalid ones, null, empty, and one that no template has.
PARAMS = st.fixed_dictionaries(
    {},
    optional={
        "createdAfter": st.sampled_from(["2025-01-01", "2025-01-05T10:00:00Z", "x", None]),
        "createdBefore": st.sampled_from(["2025-02-01", "2025-01-02", "2999-01-01", None]),
        "calculationInterval": st.sampled_from(["day", "week", "year", "hour", None]),
        "transactionTypes": some(["onramp", "transfer", "swap"]),
        "transactionStatuses": some(["COMPLETED", "FAILED"]),
        "userIds": some(USERS),
        "breakdowns": some(["transactionType", "userId"]),
        "limit": st.sampled_from([1, 500, 0, None]),
        "timeZone": st.sampled_from(["UTC", "Nowhere", None]),
        "more": st.sampled_from([1, "x", None]),
    },
)
CHANGES = st.lists(
    st.tuples(st.sampled_from([None, "A", "B", " C ", "", "x" * 101]), st.none() | PARAMS),
    max_size=6,
)


@settings(
    max_examples=50,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(data=st.data())
async def test_any_updates_equal_their_merged_parameters(org: Tenant, data: st.DataObject) -> None:
    """Independent model: a change is valid if its outcome can be saved as it is."""
    changes = data.draw(CHANGES)
    metrics = org.container.saved_metrics
    made = await metrics.create(org.caller, "TRANSACTION_COUNT", name="A", params=JANUARY)
    name, params, version = "A", dict(JANUARY), 1
    for new_name, new_params in changes:
        merged = {
            each: value
            for each, value in {**params, **(new_params or {})}.items()
            if value not in (None, []) and each != "more"
        }
        merged_name = (name if new_name is None else new_name).strip()
        is_good = 1 <= len(merged_name) <= 100 and _is_good(merged)
        try:
            now = await metrics.update(org.caller, made.id, name=new_name, params=new_params)
        except FieldsInvalid:
            assert not is_good, merged
            now = await metrics.get(org.org_id, made.id)
        else:
            assert is_good, merged
            version += (merged_name, merged) != (name, params)
            name, params = merged_name, merged
        assert (now.name, now.params, now.version) == (name, params, version)
        assert now == await metrics.get(org.org_id, made.id)
    assert [each.seq for each in await changes_of(org, str(made.id))] == list(range(1, version + 1))


def _is_good(params: Mapping[str, Any]) -> bool:
    return (
        set(REQUIRED) <= params.keys()
        and params["createdAfter"] != "x"
        and params["createdAfter"] < params["createdBefore"] < "2026"
        and params["calculationInterval"] != "hour"
        and "swap" not in params.get("transactionTypes", ())
        and params.get("limit") != 0
        and params.get("timeZone", "UTC") == "UTC"
    )


async def test_updates_at_once_are_all_merged(org: Tenant) -> None:
    made = await save(org)
    path = f"{METRICS}/{made['id']}"
    changes: list[dict[str, Any]] = [
        {"name": "B"},
        {"params": {"limit": 9}},
        {"params": {"calculationInterval": "week"}},
        {"params": {"transactionTypes": ["onramp"]}},
        {"params": {"breakdowns": ["userId"]}},
        {"params": {"createdAfter": "2025-01-03"}},
    ]
    answers = await asyncio.gather(*(org.send("POST", path, each) for each in changes))
    assert {each.status_code for each in answers} == {200}
    now = (await org.get(path))["data"]
    expected: dict[str, Any] = dict(JANUARY)
    for each in changes:
        expected |= each.get("params", {})
    assert (now["name"], now["params"]) == ("B", expected)
    assert [each.seq for each in await changes_of(org, made["id"])] == list(range(1, 8))


@dataclass(frozen=True)
class Hindered(Calculator):
    """Lets something happen whenever it has checked parameters."""

    meanwhile: Callable[[], Awaitable[object]]

    @override
    async def parse(
        self, caller: Caller, template: str | MetricTemplate, params: Mapping[str, Any]
    ) -> MetricQuery:
        query = await super().parse(caller, template, params)
        await self.meanwhile()
        return query


@pytest.mark.parametrize("times", [1, ATTEMPTS_MAX - 1, ATTEMPTS_MAX])
async def test_a_late_update_is_applied_to_the_current_version(org: Tenant, times: int) -> None:
    metrics, made = org.container.saved_metrics, await save(org)
    metric_id, names = UUID(made["id"]), iter(range(times))

    async def rename() -> None:
        for name in islice(names, 1):
            await metrics.update(org.caller, metric_id, name=f"N{name}", params=None)

    sources = metrics.calculator.sources
    late = replace(
        metrics, calculator=Hindered(sources, metrics.clock, metrics.calculator.templates, rename)
    )
    update = late.update(org.caller, metric_id, name=None, params={"limit": 9})
    if times < ATTEMPTS_MAX:
        assert (await update).params == {**JANUARY, "limit": 9}
    else:
        with pytest.raises(Busy):
            await update
    now = await metrics.get(org.org_id, metric_id)
    assert (now.name, now.version) == (f"N{times - 1}", min(times + 2, ATTEMPTS_MAX + 1))
    assert now.params.get("limit") == (9 if times < ATTEMPTS_MAX else None)


async def test_one_of_two_conflicting_updates_is_refused(org: Tenant) -> None:
    made = await save(org)
    path = f"{METRICS}/{made['id']}"
    answers = await asyncio.gather(
        org.send("POST", path, {"params": {"createdAfter": "2025-01-20"}}),
        org.send("POST", path, {"params": {"createdBefore": "2025-01-10"}}),
    )
    assert sorted(each.status_code for each in answers) == [200, 400]
    params = (await org.get(path))["data"]["params"]
    assert params["createdAfter"] < params["createdBefore"]


async def test_an_update_during_a_delete_does_not_restore_the_metric(org: Tenant) -> None:
    made = await save(org)
    path = f"{METRICS}/{made['id']}"
    answers = await asyncio.gather(
        org.send("POST", path, {"name": "B"}),
        org.send("DELETE", path),
        org.send("DELETE", path),
        org.send("POST", path, {"params": {"limit": 9}}),
    )
    assert sorted(answers[place].status_code for place in (1, 2)) == [200, 404]
    assert {answers[place].status_code for place in (0, 3)} <= {200, 404}
    assert await org.refused("GET", path) == "404 RESOURCE_NOT_FOUND"
    changes = await changes_of(org, made["id"])
    assert [each.seq for each in changes] == list(range(1, len(changes) + 1))
    assert changes[-1].change_type == "delete"


@pytest.fixture
async def doubtful(dsn: str, org: Tenant) -> AsyncIterator[SavedMetrics]:
    """Metrics service whose transactions all run twice."""
    database = await Forgetful.connect(dsn, name="tests", size_max=2)
    yield wire(SETTINGS, database, Clock(await take_node(org.container.database))).saved_metrics
    await database.close()


async def test_repeated_transactions_apply_once(doubtful: SavedMetrics, org: Tenant) -> None:
    made = await doubtful.create(org.caller, "NEW_USERS", name="A", params=JANUARY)
    assert await doubtful.page(org.org_id) == [made]
    changed = await doubtful.update(org.caller, made.id, name="B", params={"limit": 2})
    assert changed == replace(
        made, name="B", params={**JANUARY, "limit": 2}, version=2, updated_at=changed.updated_at
    )
    assert await doubtful.delete(org.caller, made.id) == changed
    assert [each.change_type for each in await changes_of(org, str(made.id))] == [
        "create",
        "update",
        "delete",
    ]


async def test_an_analyst_reads_and_changes_nothing(org: Tenant) -> None:
    metrics = org.container.saved_metrics
    made = await metrics.create(org.caller, "NEW_USERS", name="A", params=JANUARY)
    for role in MemberRole:
        caller = replace(org.caller, key_id=None, member=SignedInMember(uuid4(), role))
        assert (await metrics.results(caller, made.id))[0].id == made.id
        if role is not MemberRole.ANALYST:
            made = await metrics.update(caller, made.id, name=role, params=None)
            continue
        with pytest.raises(RoleNotAllowed):
            await metrics.create(caller, "NEW_USERS", name="A", params=JANUARY)
        with pytest.raises(RoleNotAllowed):
            await metrics.update(caller, made.id, name="B", params=None)
        with pytest.raises(RoleNotAllowed):
            await metrics.delete(caller, made.id)
    assert await metrics.page(org.org_id) == [made]


async def test_a_metric_with_a_replaced_zone_can_be_renamed(org: Tenant) -> None:
    await set_zone(org, "Europe/Berlin")
    await fold(org)
    params = {**JANUARY, "timeZone": "Europe/Berlin"}
    made = await save(org, params)
    await set_zone(org, "Asia/Tokyo")
    await fold(org)
    path = f"{METRICS}/{made['id']}"
    assert refusal(await org.send("GET", f"{path}/results")) == "400 FIELD_VALIDATION_ERROR"
    bodies: list[dict[str, Any]] = [{"name": "B"}, {"name": "C", "params": {}}]
    for body in bodies:
        renamed = (await org.post(path, body))["data"]
        assert (renamed["name"], renamed["params"]) == (body["name"], params)
    # Changed parameters must be valid together with the others.
    assert refusal(await org.send("POST", path, {"params": {"limit": 2}})).startswith("400")
    assert refusal(await org.send("POST", path, {"name": ""})).startswith("400")
    mended = await org.post(path, {"params": {"timeZone": "Asia/Tokyo"}})
    assert mended["data"]["name"] == "C"
    assert (await org.get(f"{path}/results"))["metadata"]["timeZone"] == "Asia/Tokyo"


async def test_concurrent_saves_respect_the_bound(org: Tenant) -> None:
    made = await save(org)
    await _fill(org, made["id"], METRICS_MAX - 3)
    body = {"template": "NEW_USERS", "name": "A", "params": dict(JANUARY)}
    answers = await asyncio.gather(*(org.send("POST", METRICS, body) for _ in range(5)))
    assert sorted(each.status_code for each in answers) == [201, 201, 409, 409, 409]
    full = next(each for each in answers if each.status_code == 409)
    assert refusal(full) == "409 RESOURCE_CONFLICT"
    assert full.json()["error"]["details"] == {}
    assert len(full.json()["error"]["message"]) < 100
    assert (await org.get(METRICS))["metadata"]["count"] == METRICS_MAX
    # Existing ones can still be changed.
    users = {"userIds": USERS}
    assert (await org.post(f"{METRICS}/{made['id']}", {"params": users}))["data"]
    await org.send("DELETE", f"{METRICS}/{made['id']}")
    assert (await org.send("POST", METRICS, body)).status_code == 201


async def test_the_total_size_of_parameters_is_bounded(org: Tenant) -> None:
    users = {**JANUARY, "userIds": [str(uuid4()) for _ in range(900)]}
    made = await save(org, users)
    one = len(saved_store.as_json(users))
    await _fill(org, made["id"], PARAMS_BYTES_MAX // one - 2)
    await save(org, users)
    short = await save(org)
    for method, path, body in (
        ("POST", METRICS, {"template": "TRANSACTION_COUNT", "name": "A", "params": users}),
        ("POST", f"{METRICS}/{short['id']}", {"params": users}),
    ):
        assert await org.refused(method, path, body) == "409 RESOURCE_CONFLICT"
    # Shortening is always allowed.
    await org.post(f"{METRICS}/{made['id']}", {"params": {"userIds": None}})
    await org.post(f"{METRICS}/{short['id']}", {"params": users})


async def _fill(org: Tenant, like: str, count: int) -> None:
    """Insert copies in one statement: over HTTP it would take a minute."""
    first = await org.container.saved_metrics.get(org.org_id, UUID(like))

    async def work(tx: Tx) -> None:
        for _ in range(count):
            await saved_store.add(tx, replace(first, id=new_id()))

    await org.container.database.transact(work)
