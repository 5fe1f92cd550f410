"""Stories of `landbridge.stories`, told to an application in this process."""

from collections.abc import Mapping

from landbridge.stories.client import Client
from tests.tenants import Tenant


def client_of(org: Tenant) -> Client:
    """What stories are told with."""

    async def send(
        method: str, path: str, *, content: bytes | None, headers: Mapping[str, str]
    ) -> tuple[int, bytes]:
        answer = await org.client.request(
            method, path, content=content, headers={**org.headers, **headers}
        )
        return answer.status_code, answer.content

    return Client(send)
