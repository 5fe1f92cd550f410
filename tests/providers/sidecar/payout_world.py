"""A scripted sidecar that takes payouts, and an organisation that pays by it."""

import json
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from landbridge.providers.sidecar.signing import SignedPurpose, SigningSecret, sign
from tests.payouts import accept, make_offramp, shown
from tests.providers.sidecar.kit import KEY, accepted
from tests.tenants import Tenant, run_due


def write_file(folder: Path, port: int) -> Path:
    (folder / "secret").write_bytes(KEY.secret)
    path = folder / "providers.toml"
    path.write_text(
        f"""
[providers.acme]
url = "http://127.0.0.1:{port}"
keys = [{{ id = "{KEY.id}", secret_file = "secret" }}]
timeout_s = 5

[[payouts]]
providers = ["acme"]
rails = ["wire"]
"""
    )
    return path


@dataclass
class ScriptedSidecar:
    """Sidecar of a made-up bank: pays once per key, and answers with its `state`."""

    state: str = "pending"
    changes: dict[str, Any] = field(default_factory=dict[str, Any])
    orders: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    calls: list[str] = field(default_factory=list[str])

    def answer(self, path: str, message: dict[str, Any]) -> tuple[int, Any]:
        self.calls.append(path)
        key = message["key"]
        if path == "/v1/payouts":
            self.orders.setdefault(key, message)
        if key not in self.orders:
            return 404, {"code": "unknown_key"}
        return 200, accepted(self.orders[key], self.state, **self.changes)


@dataclass(frozen=True)
class SidecarScenario:
    """An organisation with Ada, her bank account, and a sidecar for wires."""

    org: Tenant
    sidecar: ScriptedSidecar
    ada: str
    account: str

    async def accepted(self) -> dict[str, Any]:
        """Return an offramp of 100 dollars with an accepted quote."""
        return await accept(self.org, await make_offramp(self.org, self.ada, self.account, 100))

    async def run(self) -> None:
        """Run the worker's steps that are due."""
        await run_due(self.org)
        offsets = await self.org.container.orgs.clock_offsets()
        await self.org.container.provider_webhooks.run_once(offsets)
        await run_due(self.org)

    async def status(self, offramp: dict[str, Any]) -> str:
        return str((await shown(self.org, offramp))["status"])

    @property
    def key(self) -> str:
        (key,) = self.sidecar.orders
        return key

    async def announce(
        self,
        key: str,
        webhook_id: str = "w1",
        *,
        signed_by: SigningSecret = KEY,
        name: str = "acme",
    ) -> int:
        """Send a webhook; return the status of the answer."""
        body, at_s = json.dumps({"key": key}).encode(), int(time.time())
        headers = sign(signed_by, SignedPurpose.WEBHOOK, webhook_id, body, at_s=at_s)
        answer = await self.org.client.post(
            f"/providers/{name}/webhooks",
            content=body,
            headers={**headers, "landbridge-webhook-id": webhook_id},
        )
        return answer.status_code
