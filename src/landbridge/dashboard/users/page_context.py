"""Values that every page of a user needs."""

import asyncio
from typing import TypedDict

from landbridge.customers.users.api import FreezeReply
from landbridge.customers.users.schemas import UserReply
from landbridge.platform.http.internal_client import InternalClient


class UserContext(TypedDict):
    """Values for `users/tabs.html`."""

    user: UserReply
    freeze: FreezeReply


def user_path(user_id: str) -> str:
    """Return the API path of a user."""
    return f"/v2/users/{user_id}"


def page_path(user_id: str) -> str:
    """Return the dashboard path of a user."""
    return f"/dashboard/users/{user_id}"


async def user_context(interface: InternalClient, user_id: str) -> UserContext:
    """Return the values that every page of a user needs; raises `UserNotFound`."""
    user, freeze = await asyncio.gather(
        interface.read(UserReply, user_path(user_id)),
        interface.read(FreezeReply, f"{user_path(user_id)}/freeze"),
    )
    return {"user": user, "freeze": freeze}


def chains_of(user: UserReply) -> list[str]:
    """Return the chains on which the user has a wallet."""
    return list(user.wallets.get("INDIVIDUAL", {}))
