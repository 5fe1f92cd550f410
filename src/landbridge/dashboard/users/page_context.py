"""Values that every page of a user needs."""

import asyncio
from typing import Any

from landbridge.platform.http.internal_client import InternalClient


def user_path(user_id: str) -> str:
    """Return the API path of a user."""
    return f"/v2/users/{user_id}"


def page_path(user_id: str) -> str:
    """Return the dashboard path of a user."""
    return f"/dashboard/users/{user_id}"


async def user_context(interface: InternalClient, user_id: str) -> dict[str, Any]:
    """Return the values for `users/tabs.html`; raises `UserNotFound`."""
    user, freeze = await asyncio.gather(
        interface.get(user_path(user_id)), interface.get(f"{user_path(user_id)}/freeze")
    )
    return {"user": user, "freeze": freeze}
