"""Whose pages these are: what every tab of a user needs, asked at once."""

import asyncio
from collections.abc import Mapping
from typing import Any, TypeAlias

from landbridge.web.inside import Interface

Told: TypeAlias = Mapping[str, Any]


def user_path(user_id: str) -> str:
    """Where the interface has a user."""
    return f"/v2/users/{user_id}"


def page_path(user_id: str) -> str:
    """Where the dashboard has a user."""
    return f"/dashboard/users/{user_id}"


async def whose(interface: Interface, user_id: str) -> dict[str, Any]:
    """What `users/tabs.html` needs; raises `UserNotFound`."""
    user, freeze = await asyncio.gather(
        interface.get(user_path(user_id)), interface.get(f"{user_path(user_id)}/freeze")
    )
    return {"user": user, "freeze": freeze}
