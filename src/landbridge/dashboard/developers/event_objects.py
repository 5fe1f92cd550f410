"""Links from events to the pages of their objects."""

from landbridge.dashboard.json_text import as_object
from landbridge.developers.events.envelopes import Envelope
from landbridge.platform.formats.translations import later as _

# Pages by prefix of the event type, longest first, with the link's label.
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


def object_link(event: Envelope) -> tuple[str, str] | None:
    """Return the path and label of an object's page; None if it has none."""
    data = as_object(event.data)
    ids = {
        "object": event.object_id,
        "user": data.get("userId"),
        "payment": as_object(data.get("transferDetails")).get("id"),
    }
    for prefix, path, title in _PAGES:
        if event.event_type.startswith(prefix):
            needed = path.partition("{")[2].partition("}")[0]
            return (f"/dashboard/{path.format(**ids)}", title) if ids[needed] else None
    return None
