"""Endpoints: listed with how they are doing, made, changed, ended; their keys."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from litestar import Controller, Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath

from landbridge.core.errors import Refused, ResourceNotFound
from landbridge.dashboard.developers.delivery_pages import HOME, WEBHOOKS
from landbridge.dashboard.developers.event_groups import (
    GROUPS,
    Filled,
    body_of,
    filled_by,
    filled_with,
)
from landbridge.dashboard.developers.verifying import in_python
from landbridge.dashboard.forms import read_form
from landbridge.dashboard.pages import Page, Renderer, go, headers
from landbridge.dashboard.visitors import PageRequest, check_is_admin
from landbridge.dashboard.words import later as _
from landbridge.web.inside import Interface
from landbridge.webhooks.model import OVERLAP_MAX

_NEW, _EDIT, _KEYS, _SECRET = (
    "developers/webhook_new.html",
    "developers/webhook_edit.html",
    "developers/webhook_keys.html",
    "developers/webhook_secret.html",
)

_OVERLAP_MAX_S = int(OVERLAP_MAX.total_seconds())

Deliveries: TypeAlias = Sequence[Mapping[str, Any]]
# Of its newest deliveries, to say how an endpoint is doing.
_LOOKED_AT = 10


@dataclass(frozen=True, slots=True)
class Health:
    """How an endpoint is doing; `last` is the newest delivery, one that was tried if there is."""

    last: Mapping[str, Any] | None
    is_retrying: bool
    is_refusing: bool


class WebhookPages(Controller):
    """`/dashboard/webhooks`."""

    path = "/webhooks"

    @get("/")
    async def page(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Response[str]:
        """All of them, each with its last delivery."""
        webhooks = (await interface.get(WEBHOOKS))["webhooks"]
        healths = await asyncio.gather(*(_health(interface, each["id"]) for each in webhooks))
        return renderer.page(
            request, "developers/webhooks.html", webhooks=list(zip(webhooks, healths, strict=True))
        )

    @get("/new")
    async def new(self, request: PageRequest, renderer: NamedDependency[Renderer]) -> Response[str]:
        """The form."""
        check_is_admin(request.user)
        return renderer.page(request, _NEW, filled=Filled(), groups=GROUPS, webhook=None)

    @post("/new")
    async def create(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Page:
        """Make one; a secret of Standard Webhooks is shown in the answer, this once."""
        filled = filled_by(await read_form(request))
        try:
            made = await interface.post(WEBHOOKS, body_of(filled))
        except Refused as problem:
            return renderer.again(
                request, _NEW, problem, filled=filled, groups=GROUPS, webhook=None
            )
        if made["secret"]:
            return renderer.page(request, _SECRET, webhook=made)
        return go(f"{HOME}/{made['id']}/keys", said=_("The endpoint was created."))

    @get("/{webhook_id:str}/edit")
    async def edit(
        self,
        request: PageRequest,
        webhook_id: FromPath[str],
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Response[str]:
        """The form, as the endpoint is."""
        check_is_admin(request.user)
        webhook = await interface.get(f"{WEBHOOKS}/{webhook_id}")
        filled = filled_with(webhook)
        return renderer.page(request, _EDIT, filled=filled, groups=GROUPS, webhook=webhook)

    @post("/{webhook_id:str}/edit")
    async def update(
        self,
        request: PageRequest,
        webhook_id: FromPath[str],
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Page:
        """Change it."""
        filled = filled_by(await read_form(request))
        webhook = await interface.get(f"{WEBHOOKS}/{webhook_id}")
        try:
            changed = await interface.patch(f"{WEBHOOKS}/{webhook_id}", body_of(filled))
        except Refused as problem:
            return renderer.again(
                request, _EDIT, problem, filled=filled, groups=GROUPS, webhook=webhook
            )
        if changed["secret"]:
            return renderer.page(request, _SECRET, webhook=changed)
        return go(f"{HOME}/{webhook_id}", said=_("The endpoint was changed."))

    @post("/{webhook_id:str}/end")
    async def end(
        self,
        request: PageRequest,
        webhook_id: FromPath[str],
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Page:
        """Let it be gone."""
        webhook = await interface.get(f"{WEBHOOKS}/{webhook_id}")
        try:
            await interface.delete(f"{WEBHOOKS}/{webhook_id}")
        except Refused as problem:
            filled = filled_with(webhook)
            return renderer.again(
                request, _EDIT, problem, filled=filled, groups=GROUPS, webhook=webhook
            )
        return go(HOME, said=_("The endpoint was ended."))

    @get("/{webhook_id:str}/keys")
    async def keys(
        self,
        request: PageRequest,
        webhook_id: FromPath[str],
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Response[str]:
        """Its public keys, and how to verify with them."""
        webhook = await interface.get(f"{WEBHOOKS}/{webhook_id}")
        return renderer.page(request, _KEYS, webhook=webhook, in_python=in_python, overlap="86400")

    @get("/{webhook_id:str}/keys/{kid:str}")
    async def pem(
        self,
        webhook_id: FromPath[str],
        kid: FromPath[str],
        interface: NamedDependency[Interface],
    ) -> Response[str]:
        """A public key as a file."""
        webhook = await interface.get(f"{WEBHOOKS}/{webhook_id}")
        for each in webhook["publicKeys"]:
            if each["kid"] == kid:
                name = f"landbridge-{kid}.pem"
                return Response(
                    each["publicKey"],
                    media_type="application/x-pem-file",
                    headers={**headers(), "Content-Disposition": f'attachment; filename="{name}"'},
                )
        raise ResourceNotFound(f"there is no key {kid[:100]}")

    @post("/{webhook_id:str}/rotate", fresh=f"{HOME}/{{webhook_id}}/keys")
    async def rotate(
        self,
        request: PageRequest,
        webhook_id: FromPath[str],
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Page:
        """Let a new key follow; a new secret is shown in the answer, this once."""
        form = await read_form(request)
        try:
            overlap = form.whole("overlapSeconds", least=0, most=_OVERLAP_MAX_S)
            body = {"overlapSeconds": overlap}
            rotated = await interface.post(f"{WEBHOOKS}/{webhook_id}/rotate", body)
        except Refused as problem:
            webhook = await interface.get(f"{WEBHOOKS}/{webhook_id}")
            values = {"webhook": webhook, "in_python": in_python}
            shown = form.text("overlapSeconds")
            return renderer.again(request, _KEYS, problem, **values, overlap=shown)
        if rotated["secret"]:
            return renderer.page(request, _SECRET, webhook=rotated)
        return go(f"{HOME}/{webhook_id}/keys", said=_("The new key is shown now."))


async def _health(interface: Interface, webhook_id: str) -> Health:
    """How an endpoint is doing, by its newest deliveries."""
    try:
        path = f"{WEBHOOKS}/{webhook_id}/deliveries"
        found: Deliveries = (await interface.get(path, limit=_LOOKED_AT))["deliveries"]
    except ResourceNotFound:
        # Ended just now.
        found = []
    tried: Deliveries = [each for each in found if each["lastAttempt"]]
    return Health(
        last=next(iter(tried or found), None),
        is_retrying=any(each["status"] == "PENDING" for each in tried),
        is_refusing=bool(tried) and tried[0]["status"] == "REFUSED",
    )
