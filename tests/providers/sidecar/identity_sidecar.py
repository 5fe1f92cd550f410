"""A scripted sidecar that verifies users, and an organisation whose users it verifies."""

import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec
from msgspec import structs

from landbridge.app.container import Container, wire
from landbridge.customers.kyc.model import Rail
from landbridge.customers.verification.model import KycStatus, VerificationCase, case_id
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from landbridge.providers.sidecar import application_store
from landbridge.providers.sidecar.applications import ProviderApplication
from landbridge.providers.sidecar.signing import SignedPurpose, SigningSecret, sign
from tests.people import submit
from tests.platform.http.listeners import listening
from tests.providers.sidecar.kit import KEY, answering
from tests.tenants import SETTINGS, Tenant, make_tenant, served


@dataclass
class ScriptedVerifier:
    """Sidecar that verifies users: pending once submitted, then what `state` says.

    `statuses` replaces the status of an answer by path, `changes` its members; `forgets` makes it
    answer that every key is unknown.
    """

    state: str = "approved"
    changes: dict[str, Any] = field(default_factory=dict[str, Any])
    statuses: dict[str, int] = field(default_factory=dict[str, int])
    forgets: bool = False
    calls: list[tuple[str, dict[str, Any]]] = field(
        default_factory=list[tuple[str, dict[str, Any]]]
    )
    states: dict[str, str] = field(default_factory=dict[str, str])

    def answer(self, path: str, message: dict[str, Any]) -> tuple[int, Any]:
        """Answer a call."""
        self.calls.append((path, message))
        key = message["key"]
        status = self.statuses.get(path, 200)
        match path:
            case "/v1/applications":
                state = self.states.setdefault(key, "created")
            case "/v1/applications/submit" if status == 200:
                state = self.states[key] = "pending"
            case "/v1/applications/query" if self.forgets or key not in self.states:
                return 404, {"code": "unknown_key"}
            case "/v1/applications/link" if status == 200:
                url = f"https://verify.example.com/{key}"
                return 200, {"key": key, "url": url, "expiresInSeconds": 600}
            case "/v1/applications/query":
                state = self.states[key]
                state = self.state if state == "pending" else state
            case _:
                state = self.states.get(key, "created")
        if status == 422:
            return status, {"key": key, "code": "data_invalid"}
        if status != 200:
            return status, {"code": "not_done" if status == 503 else "key_conflict"}
        answer = {"key": key, "state": state, "providerReference": f"check-{key}"}
        if state == "information":
            answer["comment"] = "Say where the funds come from."
        return 200, {**answer, **(self.changes if path.endswith("query") else {})}

    def messages(self, path: str) -> list[dict[str, Any]]:
        """Return the messages that were sent to a path."""
        return [message for called, message in self.calls if called == path]

    @property
    def key(self) -> str:
        """The key of the newest application."""
        return [*self.states][-1]


def identity_file(folder: Path, port: int, name: str, *, route: str = "", more: str = "") -> Path:
    """Write a providers file that has a sidecar on this machine verify users."""
    (folder / "secret").write_bytes(KEY.secret)
    path = folder / "providers.toml"
    path.write_text(
        f"""
[providers.{name}]
url = "http://127.0.0.1:{port}"
keys = [{{ id = "{KEY.id}", secret_file = "secret" }}]
timeout_s = 5
{more}
[[identity]]
provider = "{name}"
{route}
"""
    )
    return path


@dataclass(frozen=True)
class VerifiedBySidecar:
    """An organisation whose users a sidecar verifies."""

    org: Tenant
    sidecar: ScriptedVerifier
    name: str

    @property
    def container(self) -> Container:
        """The container of the organisation."""
        return self.org.container

    async def submit(self, user: str, rail: Rail = Rail.USD) -> None:
        """Submit a user, and let the worker hand the case to the provider."""
        await submit(self.org, user, rail)
        await self.work()

    async def work(self, later: timedelta = timedelta(seconds=1)) -> None:
        """Run the worker's steps that are due after this time of the sandbox's clock."""
        seconds = int(later.total_seconds())
        await self.org.post("/v2/sandbox/clock/advance", {"seconds": seconds})
        found = await self.container.orgs.clock_offsets()
        offsets = {self.org.org_id: found[self.org.org_id]}
        assert self.container.application_announcements is not None
        await self.container.application_announcements.run_once(offsets)
        await self.container.verification.run_all(offsets)

    async def case(self, user: str, rail: Rail = Rail.USD) -> VerificationCase:
        """Return the stored case."""
        found = await self.container.verification.status(self.org.org_id, UUID(user), rail)
        assert found is not None
        assert found.id == case_id(UUID(user), rail)
        return found

    async def status(self, user: str) -> KycStatus:
        """Return the status of a user for dollars."""
        return (await self.case(user)).status

    async def application(self, key: str) -> ProviderApplication | None:
        """Return the stored application."""
        return await self.container.database.single(
            lambda tx: application_store.find(tx, self.org.org_id, UUID(key))
        )

    async def problems(self) -> list[str]:
        """Return the listed problems."""
        found = await self.container.database.single(
            lambda tx: application_store.problems(tx, self.org.org_id, limit=100)
        )
        return [str(each.problem) for each in found]

    async def provider(self) -> dict[str, Any]:
        """Return the provider as the API shows it."""
        found = (await self.org.get("/v2/providers"))["providers"]
        return next(each for each in found if each["name"] == self.name)

    async def announce(
        self, key: str, *, signed_by: SigningSecret = KEY, name: str | None = None
    ) -> int:
        """Send a webhook about an application; return the status of the answer."""
        message, at_s = msgspec.json.encode({"key": key}), int(time.time())
        headers = sign(signed_by, SignedPurpose.WEBHOOK, "w1", message, at_s=at_s)
        answer = await self.org.client.post(
            f"/providers/{name or self.name}/webhooks",
            content=message,
            headers={**headers, "landbridge-webhook-id": "w1"},
        )
        return answer.status_code


@asynccontextmanager
async def verified_by_sidecar(
    database: Database, folder: Path, *, identity: str | None = None
) -> AsyncGenerator[VerifiedBySidecar]:
    """Yield an organisation whose users a sidecar verifies."""
    sidecar, name = ScriptedVerifier(), f"idv-{new_id().hex}"[:40]
    async with listening(answering(sidecar.answer)) as found:
        path = identity_file(folder, found.port, name)
        settings = structs.replace(SETTINGS, providers_file=str(path), identity=identity)
        container = wire(settings, database, Clock(await take_node(database)))
        async with served(container) as client:
            org = await make_tenant(container, client)
            yield VerifiedBySidecar(org, sidecar, name)
        assert container.providers is not None
        await container.providers.close()


def reviewer(org: Tenant) -> Tenant:
    """Return the same organisation with a key that may decide."""
    return replace(org, caller=replace(org.caller, can_review=True))
