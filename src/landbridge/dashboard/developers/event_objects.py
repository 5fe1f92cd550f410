"""Where the thing that an event is about can be looked at."""

from collections.abc import Mapping
from typing import Any

from landbridge.dashboard.words import later as _

# Pages by how the event's type begins, the longest first, and what stands on the link.
_PAGES: tuple[tuple[str, str, str], ...] = (
    ("ACCOUNT.VIRTUAL_ACCOUNT.", "users/{user}/virtual-accounts/{object}", _("Virtual account")),
    ("ACCOUNT.", "users/{user}/accounts/{object}", _("Account")),
    ("WALLET.TOKEN.", "users/{user}/wallets", _("Wallets")),
    ("KYC.", "users/{user}/compliance", _("Compliance")),
    ("KYC_LINK.", "users/{user}/compliance", _("Compliance")),
    ("USER.", "users/{object}", _("User")),
    ("WEBHOOK.", "webhooks/{object}", _("Endpoint")),
    ("", "transactions/{payment}", _("Payment")),
)


def object_link(event: Mapping[str, Any]) -> tuple[str, str] | None:
    """The address of a page of ours, and what to call it; None where there is no such page."""
    data: Mapping[str, Any] = event["data"] or {}
    ids = {
        "object": event["objectId"],
        "user": data.get("userId"),
        "payment": data.get("transferDetails", {}).get("id"),
    }
    for begin, path, title in _PAGES:
        if event["eventType"].startswith(begin):
            needed = path.partition("{")[2].partition("}")[0]
            return (f"/dashboard/{path.format(**ids)}", title) if ids[needed] else None
    return None
