"""Routes of connected providers: /v2/providers. Ours; docs/reference/providers-file.md."""

from litestar import Controller, get
from litestar.di import NamedDependency

from landbridge.payments.provider_operations.schemas import ProviderList, provider_reply
from landbridge.payments.provider_operations.service import ProviderOperations
from landbridge.platform.http.caller import ApiRequest


class ProviderRoutes(Controller):
    """Connected providers."""

    path = "/v2/providers"
    tags = ("Service",)

    @get(summary="List connected providers", operation_id="providers.list")
    async def all(
        self, request: ApiRequest, provider_operations: NamedDependency[ProviderOperations]
    ) -> ProviderList:
        """Providers with what they serve, their health, and the oldest that wait for each.

        No provider is called for it. Admins also get the numbers of calls.
        """
        caller = request.user
        found = await provider_operations.all(caller)
        return ProviderList(
            count=len(found),
            providers=[provider_reply(each, caller.clock_offset) for each in found],
        )
