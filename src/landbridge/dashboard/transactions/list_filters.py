"""The filters of the list: as the address has them, and as the interface takes them."""

from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from landbridge.core.errors import FieldInvalid
from landbridge.core.ids import as_uuid
from landbridge.dashboard.queries import Asked
from landbridge.web.inside import Interface

FILTERS = ("type", "status", "currency", "user", "from", "until", "least", "most")
_DAY = timedelta(days=1)


async def as_query(asked: Asked, interface: Interface, zone: ZoneInfo) -> dict[str, str | None]:
    """What the interface is asked; raises `FieldInvalid` for what makes no sense."""
    return {
        "type": asked.text("type") or None,
        "status": asked.text("status") or None,
        "currency": asked.text("currency") or None,
        "userId": await _user(asked.text("user"), interface),
        "createdAfter": _bound("from", asked.text("from"), zone, timedelta()),
        "createdBefore": _bound("until", asked.text("until"), zone, _DAY),
        "minAmount": asked.text("least") or None,
        "maxAmount": asked.text("most") or None,
        "cursor": asked.cursor,
    }


async def _user(text: str, interface: Interface) -> str | None:
    """The id of a user who was named by id or by e-mail."""
    if not text:
        return None
    if as_uuid(text) is not None:
        return text
    found = (await interface.get("/v2/users", email=text, limit=2))["users"]
    exact = [each for each in found if each["email"].casefold() == text.casefold()] or found
    if len(exact) != 1:
        raise FieldInvalid("Give the id of a user, or an e-mail that one user has.", field="user")
    return str(exact[0]["id"])


def _bound(name: str, text: str, zone: ZoneInfo, later: timedelta) -> str | None:
    """The beginning of a day, or of the one after it, by the organisation's clocks."""
    if not text:
        return None
    try:
        day = date.fromisoformat(text) + later
        return datetime.combine(day, time(), tzinfo=zone).isoformat()
    except (ValueError, OverflowError):
        raise FieldInvalid("A date looks like 2026-01-31.", field=name) from None
