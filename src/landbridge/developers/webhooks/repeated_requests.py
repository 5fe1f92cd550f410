"""Responses to repeated requests about endpoints and deliveries, by their idempotency key."""

from dataclasses import replace
from datetime import datetime, timedelta

from landbridge.developers.events.model import EventKey
from landbridge.developers.webhooks import sealed_keys, store
from landbridge.developers.webhooks.model import ResendResult, ResendSelection
from landbridge.developers.webhooks.schemas import EndpointView
from landbridge.developers.webhooks.service import Endpoints
from landbridge.developers.webhooks.signing import secret_text
from landbridge.platform.core.errors import ResourceNotFound
from landbridge.platform.db.pool import Tx
from landbridge.platform.http.caller import Caller, check_admin
from landbridge.platform.idempotency.model import IdempotencyKey

# How long after a create or a rotation its repetition shows the secret again.
SECRET_SHOWN = timedelta(hours=24)


async def endpoint_with_secret(
    endpoints: Endpoints, caller: Caller, key: IdempotencyKey
) -> EndpointView:
    """Return the endpoint as it is now, with its present secret within `SECRET_SHOWN`.

    The secret is stored in any case, sealed, because deliveries are signed with it. Raises
    `RoleNotAllowed`, and `ResourceNotFound` for a deleted endpoint.
    """
    check_admin(caller)
    view = await endpoints.get_view(caller.org_id, key.object_id)
    if endpoints.clock.now(caller.clock_offset) >= key.created_at + SECRET_SHOWN:
        return view

    async def read(tx: Tx) -> str | None:
        stored = await store.get(tx, caller.org_id, key.object_id)
        data_key = await endpoints.vault.find(tx, caller.org_id, caller.org_id)
        if stored is None or data_key is None:
            raise ResourceNotFound(f"there is no webhook {key.object_id}")
        current = stored.secrets.current
        if current is None:
            return None
        return secret_text(sealed_keys.opened_secret(key.object_id, current, data_key))

    return replace(view, secret=await endpoints.database.read(read))


async def sent_test(key: IdempotencyKey) -> EventKey:
    """Return the test event that a request has sent."""
    return EventKey(key.object_id, key.result["version"], 0)


async def resend_result(key: IdempotencyKey) -> ResendResult:
    """Return what a request has resent."""
    return ResendResult(
        since=datetime.fromisoformat(key.result["since"]),
        only=ResendSelection(key.result["only"]),
        count=key.result["count"],
        has_more=key.result["hasMore"],
    )


def stored_result(resent: ResendResult) -> dict[str, str | int | bool | None]:
    """Return the form of a result that is stored with its key."""
    return {
        "since": resent.since.isoformat(),
        "only": resent.only.value,
        "count": resent.count,
        "hasMore": resent.has_more,
    }
