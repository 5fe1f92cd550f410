"""Routes of endpoints: /v2/webhooks. Ours: the contract has them in the dashboard only."""

from datetime import timedelta
from uuid import UUID

from litestar import Controller, delete, get, patch, post
from litestar.datastructures import CacheControlHeader
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody

from landbridge.core.clock import Clock
from landbridge.orgs.service import Orgs
from landbridge.web.caller import ApiRequest
from landbridge.web.paths import known_id
from landbridge.webhooks.model import KIND, TEST
from landbridge.webhooks.service import Endpoints
from landbridge.webhooks.shapes import (
    Done,
    Jwks,
    NewWebhook,
    Rotation,
    SentTest,
    WebhookChange,
    WebhookList,
    WebhookMade,
    WebhookReply,
    jwks,
    webhook_made,
    webhook_reply,
)

# A rotation without an overlap is noticed within this time; libraries look again for a key that
# they don't know.
_JWKS_AGE_MAX_S = 300


class WebhookRoutes(Controller):
    """Where the organisation is told of events."""

    path = "/v2/webhooks"
    tags = ("Webhooks",)

    @post(status_code=200, summary="Create a webhook", unkeyed=True)
    async def create(
        self,
        request: ApiRequest,
        data: JSONBody[NewWebhook],
        endpoints: NamedDependency[Endpoints],
        clock: NamedDependency[Clock],
        public_url: NamedDependency[str],
    ) -> WebhookMade:
        """It is told of what happens from now on. At most 20 for an organisation."""
        made = await endpoints.create(request.user, data)
        return webhook_made(made, clock.now(request.user.clock_offset), base_url=public_url)

    @get(summary="List webhooks")
    async def page(
        self,
        request: ApiRequest,
        endpoints: NamedDependency[Endpoints],
        clock: NamedDependency[Clock],
        public_url: NamedDependency[str],
    ) -> WebhookList:
        """All of them, newest first."""
        now = clock.now(request.user.clock_offset)
        found = await endpoints.shown(await endpoints.page(request.user.org_id))
        return WebhookList(
            count=len(found),
            webhooks=[webhook_reply(each, now, base_url=public_url) for each in found],
        )

    @get("/{webhookId:str}", summary="Retrieve a webhook")
    async def retrieve(
        self,
        request: ApiRequest,
        webhookId: FromPath[str],
        endpoints: NamedDependency[Endpoints],
        clock: NamedDependency[Clock],
        public_url: NamedDependency[str],
    ) -> WebhookReply:
        """One of them, with the keys that its tokens are verified with."""
        found = await endpoints.look_at(request.user.org_id, known_webhook(webhookId))
        return webhook_reply(found, clock.now(request.user.clock_offset), base_url=public_url)

    @patch("/{webhookId:str}", summary="Update a webhook")
    async def update(
        self,
        request: ApiRequest,
        *,
        webhookId: FromPath[str],
        data: JSONBody[WebhookChange],
        endpoints: NamedDependency[Endpoints],
        clock: NamedDependency[Clock],
        public_url: NamedDependency[str],
    ) -> WebhookMade:
        """Also pauses and resumes it: a paused one goes on where it stopped."""
        changed = await endpoints.update(request.user, known_webhook(webhookId), data)
        return webhook_made(changed, clock.now(request.user.clock_offset), base_url=public_url)

    @delete("/{webhookId:str}", status_code=200, summary="Delete a webhook")
    async def delete(
        self, request: ApiRequest, webhookId: FromPath[str], endpoints: NamedDependency[Endpoints]
    ) -> Done:
        """What waits for it is not delivered any more, and its keys are gone."""
        webhook_id = known_webhook(webhookId)
        await endpoints.delete(request.user, webhook_id)
        return Done(message=f"Webhook {webhook_id} was deleted.")

    @post("/{webhookId:str}/test", status_code=200, summary="Send a test event", unkeyed=True)
    async def test(
        self, request: ApiRequest, webhookId: FromPath[str], endpoints: NamedDependency[Endpoints]
    ) -> SentTest:
        """A WEBHOOK.TEST, whatever its event types are, and to no other."""
        key = await endpoints.test(request.user, known_webhook(webhookId))
        return SentTest(event_id=key.text, event_type=f"{KIND}.{TEST.upper()}")

    @post("/{webhookId:str}/rotate", status_code=200, summary="Rotate keys", unkeyed=True)
    async def rotate(
        self,
        request: ApiRequest,
        *,
        webhookId: FromPath[str],
        endpoints: NamedDependency[Endpoints],
        clock: NamedDependency[Clock],
        public_url: NamedDependency[str],
        data: JSONBody[Rotation | None] = None,
    ) -> WebhookMade:
        """Shows a new key at once, which signs after the overlap; a day if nothing is asked for."""
        overlap = timedelta(seconds=(data or Rotation()).overlap_seconds)
        rotated = await endpoints.rotate(request.user, known_webhook(webhookId), overlap=overlap)
        return webhook_made(rotated, clock.now(request.user.clock_offset), base_url=public_url)

    @get(
        "/{webhookId:str}/jwks.json",
        include_in_schema=False,
        public=True,
        cache_control=CacheControlHeader(public=True, max_age=_JWKS_AGE_MAX_S),
    )
    async def jwks(
        self,
        webhookId: FromPath[str],
        endpoints: NamedDependency[Endpoints],
        orgs: NamedDependency[Orgs],
    ) -> Jwks:
        """A JSON Web Key Set of all keys that its tokens may name; needs no API key."""
        webhook_id = known_webhook(webhookId)
        org_id = await endpoints.find_org(webhook_id)
        found = await endpoints.look_at(org_id, webhook_id)
        return jwks(found.keys.shown(await orgs.now(org_id)))


def known_webhook(text: str) -> UUID:
    """The id of a webhook in a path; raises `ResourceNotFound` for what can't be one."""
    return known_id(text, "webhook")
