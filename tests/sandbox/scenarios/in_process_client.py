"""Client that runs `landbridge.sandbox.scenarios` against an application in this process."""

from collections.abc import Mapping

from landbridge.sandbox.scenarios.client import ScenarioClient
from tests.tenants import Tenant


def client_of(org: Tenant) -> ScenarioClient:
    """Return the client for scenarios."""

    async def send(
        method: str, path: str, *, content: bytes | None, headers: Mapping[str, str]
    ) -> tuple[int, bytes]:
        answer = await org.client.request(
            method, path, content=content, headers={**org.headers, **headers}
        )
        return answer.status_code, answer.content

    return ScenarioClient(send)
