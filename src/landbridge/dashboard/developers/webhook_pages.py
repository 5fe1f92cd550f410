"""Pages of webhook endpoints: list with health, create, edit, delete, and signing keys."""

import asyncio
from typing import Final

from litestar import Controller, Response, get, post
from litestar.params import FromPath

from landbridge.dashboard.developers.delivery_pages import HOME
from landbridge.dashboard.developers.endpoint_health import WEBHOOKS, endpoint_health
from landbridge.dashboard.developers.event_groups import (
    GROUPS,
    EndpointFormValues,
    body_of,
    endpoint_values,
    submitted_values,
)
from landbridge.dashboard.page_request import Page, PageRequest, read_form, redirect
from landbridge.dashboard.page_visitor import check_is_admin
from landbridge.dashboard.rendering import headers
from landbridge.developers.webhooks.model import OVERLAP_MAX
from landbridge.developers.webhooks.schemas import WebhookCreatedReply, WebhookList, WebhookReply
from landbridge.platform.core.errors import Refused, ResourceNotFound
from landbridge.platform.formats.translations import later as _

_NEW, _EDIT, _KEYS, _SECRET = (
    "developers/webhook_new.html",
    "developers/webhook_edit.html",
    "developers/webhook_keys.html",
    "developers/webhook_secret.html",
)

# An endpoint receives every event, and another form of signature shows a new secret.
_NEW_PATH, _EDIT_PATH = f"{HOME}/new", f"{HOME}/{{webhook_id}}/edit"
_OVERLAP_MAX_S = int(OVERLAP_MAX.total_seconds())


class WebhookPages(Controller):
    """`/dashboard/webhooks`."""

    path = "/webhooks"

    @get("/")
    async def page(self, request: PageRequest) -> Response[str]:
        """List endpoints, each with its latest delivery."""
        webhooks = (await request.interface.read(WebhookList, WEBHOOKS)).webhooks
        healths = await asyncio.gather(
            *(endpoint_health(request.interface, each.id) for each in webhooks)
        )
        return request.page(
            "developers/webhooks.html", webhooks=list(zip(webhooks, healths, strict=True))
        )

    @get("/new", fresh=_NEW_PATH)
    async def new(self, request: PageRequest) -> Response[str]:
        """Show the form of a new endpoint."""
        check_is_admin(request.user)
        return request.page(_NEW, filled=EndpointFormValues(), groups=GROUPS, webhook=None)

    @post("/new", fresh=_NEW_PATH)
    async def create(self, request: PageRequest) -> Page:
        """Create an endpoint; a Standard Webhooks secret is shown once."""
        filled = submitted_values(await read_form(request))
        try:
            created = await request.interface.submit(WebhookCreatedReply, WEBHOOKS, body_of(filled))
        except Refused as problem:
            return request.with_problem(_NEW, problem, filled=filled, groups=GROUPS, webhook=None)
        if created.secret:
            return request.page(_SECRET, webhook=created)
        return redirect(f"{HOME}/{created.id}/keys", notice=_("Endpoint created"))

    @get("/{webhook_id:str}/edit", fresh=_EDIT_PATH)
    async def edit(self, request: PageRequest, webhook_id: FromPath[str]) -> Response[str]:
        """Show the form of an existing endpoint."""
        check_is_admin(request.user)
        webhook = await request.interface.read(WebhookReply, f"{WEBHOOKS}/{webhook_id}")
        filled = endpoint_values(webhook)
        return request.page(_EDIT, filled=filled, groups=GROUPS, webhook=webhook)

    @post("/{webhook_id:str}/edit", fresh=_EDIT_PATH)
    async def update(self, request: PageRequest, webhook_id: FromPath[str]) -> Page:
        """Change it."""
        filled = submitted_values(await read_form(request))
        webhook = await request.interface.read(WebhookReply, f"{WEBHOOKS}/{webhook_id}")
        try:
            changed = await request.interface.submit(
                WebhookCreatedReply,
                f"{WEBHOOKS}/{webhook_id}",
                body_of(filled),
                method="PATCH",
            )
        except Refused as problem:
            return request.with_problem(
                _EDIT, problem, filled=filled, groups=GROUPS, webhook=webhook
            )
        if changed.secret:
            return request.page(_SECRET, webhook=changed)
        return redirect(f"{HOME}/{webhook_id}", notice=_("Endpoint updated"))

    @post("/{webhook_id:str}/end")
    async def end(self, request: PageRequest, webhook_id: FromPath[str]) -> Page:
        """Delete the endpoint."""
        webhook = await request.interface.read(WebhookReply, f"{WEBHOOKS}/{webhook_id}")
        try:
            await request.interface.delete(f"{WEBHOOKS}/{webhook_id}")
        except Refused as problem:
            filled = endpoint_values(webhook)
            return request.with_problem(
                _EDIT, problem, filled=filled, groups=GROUPS, webhook=webhook
            )
        return redirect(HOME, notice=_("Endpoint deleted"))

    @get("/{webhook_id:str}/keys")
    async def keys(self, request: PageRequest, webhook_id: FromPath[str]) -> Response[str]:
        """Its public keys, and how to verify with them."""
        webhook = await request.interface.read(WebhookReply, f"{WEBHOOKS}/{webhook_id}")
        return request.page(_KEYS, webhook=webhook, python_sample=python_sample, overlap="86400")

    @get("/{webhook_id:str}/keys/{kid:str}")
    async def pem(
        self, request: PageRequest, webhook_id: FromPath[str], kid: FromPath[str]
    ) -> Response[str]:
        """Download a public key as a PEM file."""
        webhook = await request.interface.read(WebhookReply, f"{WEBHOOKS}/{webhook_id}")
        for each in webhook.public_keys:
            if str(each.kid) == kid:
                name = f"landbridge-{kid}.pem"
                return Response(
                    each.public_key,
                    media_type="application/x-pem-file",
                    headers={**headers(), "Content-Disposition": f'attachment; filename="{name}"'},
                )
        raise ResourceNotFound(f"This endpoint has no key {kid[:100]}.")

    @post("/{webhook_id:str}/rotate", fresh=f"{HOME}/{{webhook_id}}/keys")
    async def rotate(self, request: PageRequest, webhook_id: FromPath[str]) -> Page:
        """Rotate the signing key; a new secret is shown once."""
        form = await read_form(request)
        try:
            overlap = form.integer("overlapSeconds", minimum=0, maximum=_OVERLAP_MAX_S)
            body = {"overlapSeconds": overlap}
            rotated = await request.interface.submit(
                WebhookCreatedReply, f"{WEBHOOKS}/{webhook_id}/rotate", body
            )
        except Refused as problem:
            webhook = await request.interface.read(WebhookReply, f"{WEBHOOKS}/{webhook_id}")
            values = {"webhook": webhook, "python_sample": python_sample}
            submitted = form.text("overlapSeconds")
            return request.with_problem(_KEYS, problem, **values, overlap=submitted)
        if rotated.secret:
            return request.page(_SECRET, webhook=rotated)
        return redirect(
            f"{HOME}/{webhook_id}/keys", notice=_("Key rotated. The new key is shown now.")
        )


_PYTHON: Final = '''\
import hashlib

import jwt  # pip install 'pyjwt[crypto]'

keys = jwt.PyJWKClient("%(jwks_url)s")


def is_genuine(authorization: str, body: bytes) -> bool:
    """True: answer 200. False: answer 401. An error: answer 503, and it comes again."""
    token = authorization.removeprefix("Bearer ")
    try:
        key = keys.get_signing_key_from_jwt(token).key
        claims = jwt.decode(
            token,
            key,
            algorithms=["RS256"],
            audience="%(id)s",
            options={"require": ["exp", "aud"]},
        )
    except jwt.InvalidTokenError:
        return False
    return claims.get("bodySha256") == hashlib.sha256(body).hexdigest()
'''


def python_sample(webhook: WebhookReply) -> str:
    """Return the Python sample for this endpoint."""
    return _PYTHON % {"jwks_url": webhook.jwks_url, "id": webhook.id}
