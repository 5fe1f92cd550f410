"""Routes of endpoints: /v2/webhooks. Our own: the contract has them in the dashboard only."""

from datetime import timedelta
from uuid import UUID

from litestar import Controller, delete, get, patch, post
from litestar.datastructures import CacheControlHeader
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody

from landbridge.developers.webhooks.model import KIND, TEST
from landbridge.developers.webhooks.repeated_requests import endpoint_with_secret, sent_test
from landbridge.developers.webhooks.schemas import (
    Jwks,
    KeyRotation,
    NewWebhook,
    TestEventReply,
    WebhookChange,
    WebhookCreatedReply,
    WebhookDeletedReply,
    WebhookList,
    WebhookReply,
    jwks,
    webhook_created_reply,
    webhook_reply,
)
from landbridge.developers.webhooks.service import Endpoints
from landbridge.platform.core.clock import Clock
from landbridge.platform.http.caller import ApiRequest
from landbridge.platform.http.path_params import known_id
from landbridge.platform.idempotency.service import IdempotencyKeys
from landbridge.platform.orgs.service import Orgs

# Time within which clients notice a rotation without overlap; libraries refetch when they meet an
# unknown key.
_JWKS_AGE_MAX_S = 300


class WebhookRoutes(Controller):
    """Webhook endpoints of the organisation."""

    path = "/v2/webhooks"
    tags = ("Webhooks",)

    @post(status_code=200, summary="Create a webhook", keyed=True, operation_id="webhooks.create")
    async def create(
        self,
        request: ApiRequest,
        *,
        data: JSONBody[NewWebhook],
        endpoints: NamedDependency[Endpoints],
        idempotency_keys: NamedDependency[IdempotencyKeys],
        clock: NamedDependency[Clock],
        public_url: NamedDependency[str],
    ) -> WebhookCreatedReply:
        """It receives events from now on. An organisation has at most 20 endpoints."""
        created = await idempotency_keys.run(
            request,
            data,
            lambda claim: endpoints.create(request.user, data, claim=claim),
            lambda key: endpoint_with_secret(endpoints, request.user, key),
        )
        return webhook_created_reply(
            created, clock.now(request.user.clock_offset), base_url=public_url
        )

    @get(summary="List webhooks", operation_id="webhooks.list")
    async def page(
        self,
        request: ApiRequest,
        endpoints: NamedDependency[Endpoints],
        clock: NamedDependency[Clock],
        public_url: NamedDependency[str],
    ) -> WebhookList:
        """All endpoints, newest first."""
        now = clock.now(request.user.clock_offset)
        found = await endpoints.views(await endpoints.page(request.user.org_id))
        return WebhookList(
            count=len(found),
            webhooks=[webhook_reply(each, now, base_url=public_url) for each in found],
        )

    @get("/{webhookId:str}", summary="Retrieve a webhook", operation_id="webhooks.retrieve")
    async def retrieve(
        self,
        request: ApiRequest,
        webhookId: FromPath[str],
        endpoints: NamedDependency[Endpoints],
        clock: NamedDependency[Clock],
        public_url: NamedDependency[str],
    ) -> WebhookReply:
        """One endpoint, with the keys that verify its tokens."""
        found = await endpoints.get_view(request.user.org_id, known_webhook(webhookId))
        return webhook_reply(found, clock.now(request.user.clock_offset), base_url=public_url)

    @patch("/{webhookId:str}", summary="Update a webhook", operation_id="webhooks.update")
    async def update(
        self,
        request: ApiRequest,
        *,
        webhookId: FromPath[str],
        data: JSONBody[WebhookChange],
        endpoints: NamedDependency[Endpoints],
        clock: NamedDependency[Clock],
        public_url: NamedDependency[str],
    ) -> WebhookCreatedReply:
        """Also pauses and resumes it: a paused endpoint resumes where it stopped."""
        changed = await endpoints.update(request.user, known_webhook(webhookId), data)
        return webhook_created_reply(
            changed, clock.now(request.user.clock_offset), base_url=public_url
        )

    @delete(
        "/{webhookId:str}",
        status_code=200,
        summary="Delete a webhook",
        operation_id="webhooks.delete",
    )
    async def delete(
        self, request: ApiRequest, webhookId: FromPath[str], endpoints: NamedDependency[Endpoints]
    ) -> WebhookDeletedReply:
        """Its pending deliveries are dropped and its keys deleted."""
        webhook_id = known_webhook(webhookId)
        await endpoints.delete(request.user, webhook_id)
        return WebhookDeletedReply(message=f"Webhook {webhook_id} was deleted.")

    @post(
        "/{webhookId:str}/test",
        status_code=200,
        summary="Send a test event",
        keyed=True,
        operation_id="webhooks.test",
    )
    async def test(
        self,
        request: ApiRequest,
        webhookId: FromPath[str],
        endpoints: NamedDependency[Endpoints],
        idempotency_keys: NamedDependency[IdempotencyKeys],
    ) -> TestEventReply:
        """Sends a WEBHOOK.TEST event to this endpoint only, whatever its event types are."""
        webhook_id = known_webhook(webhookId)
        sent = await idempotency_keys.run(
            request,
            None,
            lambda claim: endpoints.test(request.user, webhook_id, claim=claim),
            sent_test,
        )
        return TestEventReply(event_id=sent.text, event_type=f"{KIND}.{TEST.upper()}")

    @post(
        "/{webhookId:str}/rotate",
        status_code=200,
        summary="Rotate keys",
        keyed=True,
        operation_id="webhooks.rotate",
    )
    async def rotate(
        self,
        request: ApiRequest,
        *,
        webhookId: FromPath[str],
        endpoints: NamedDependency[Endpoints],
        idempotency_keys: NamedDependency[IdempotencyKeys],
        clock: NamedDependency[Clock],
        public_url: NamedDependency[str],
        data: JSONBody[KeyRotation | None] = None,
    ) -> WebhookCreatedReply:
        """Publishes a new key at once, which signs after the overlap; by default a day."""
        rotation, webhook_id = data or KeyRotation(), known_webhook(webhookId)
        overlap = timedelta(seconds=rotation.overlap_seconds)
        rotated = await idempotency_keys.run(
            request,
            rotation,
            lambda claim: endpoints.rotate(request.user, webhook_id, overlap=overlap, claim=claim),
            lambda key: endpoint_with_secret(endpoints, request.user, key),
        )
        return webhook_created_reply(
            rotated, clock.now(request.user.clock_offset), base_url=public_url
        )

    @get(
        "/{webhookId:str}/jwks.json",
        include_in_schema=False,
        public=True,
        keyless_turn=True,
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
        found = await endpoints.get_view(org_id, webhook_id)
        return jwks(found.keys.published(await orgs.now(org_id)))


def known_webhook(text: str) -> UUID:
    """Parse a webhook id of a path; raises `ResourceNotFound` for a malformed one."""
    return known_id(text, "webhook")
