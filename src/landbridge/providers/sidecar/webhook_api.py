"""Route on which providers announce changes. Source: docs/reference/provider-protocol.md."""

from http import HTTPStatus

from litestar import Controller, post
from litestar.di import NamedDependency
from litestar.params import FromPath

from landbridge.platform.http.headers import header_texts
from landbridge.platform.http.list_query import AnyRequest
from landbridge.providers.sidecar.webhooks import ProviderWebhooks

# Maximum bytes of a webhook of a package's provider; those of sidecars are shorter.
_BYTES_MAX = 64 * 1024


class ProviderWebhookRoutes(Controller):
    """Route of providers; it knows them by their signatures, so it takes no key."""

    path = "/providers/{name:str}/webhooks"
    dto = None  # raw body, because its signature is verified before it is decoded

    @post(
        public=True,
        include_in_schema=False,
        status_code=HTTPStatus.NO_CONTENT,
        request_max_body_size=_BYTES_MAX,
    )
    async def receive(
        self,
        request: AnyRequest,
        name: FromPath[str],
        provider_webhooks: NamedDependency[ProviderWebhooks],
    ) -> None:
        """Take a signed webhook of a provider: 204, or 401 or 404 if it is ignored."""
        body = await request.body()
        await provider_webhooks.receive(name, header_texts(request.scope), body)
