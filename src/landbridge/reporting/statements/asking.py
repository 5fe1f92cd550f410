"""What a statement is asked with, checked. All that is wrong is told at once."""

from collections.abc import Callable
from datetime import datetime, timedelta
from functools import cache
from typing import TypeVar
from uuid import UUID
from zoneinfo import ZoneInfo, available_timezones

from landbridge.chains.tokens import TOKENS
from landbridge.core.errors import FieldInvalid, FieldsInvalid
from landbridge.core.ids import as_uuid
from landbridge.reporting.moments import (
    TIME_ZONE,
    is_bare_date,
    local_day,
    parse_bound,
    start_of_day,
)
from landbridge.reporting.rollups.model import UTC_ZONE
from landbridge.reporting.statements.model import Asked, Format
from landbridge.web.lists import word

T = TypeVar("T")

AFTER, BEFORE = "createdAfter", "createdBefore"
CURRENCIES = tuple(sorted({currency for _, currency in TOKENS}))

# Names in the database of zones that are no place's; the first is whatever this machine has.
_NO_ZONES = {"localtime", "Factory"}


class Asking:
    """Collects what is wrong with parameters, each with a sentence."""

    def __init__(self) -> None:
        self.wrong: dict[str, str] = {}

    def read(self, reading: Callable[[], T]) -> T | None:
        """What `reading` answers; None if it finds a parameter wrong."""
        try:
            return reading()
        except FieldInvalid as error:
            self.wrong.setdefault(str(error.field), error.message)
            return None


def asked(
    *,
    user_id: str | None,
    wallet_id: str | None,
    currency: str | None,
    created_after: str | None,
    created_before: str | None,
    time_zone: str | None,
    file_format: str | None,
    now: datetime,
) -> Asked:
    """What these parameters ask for; raises `FieldsInvalid`. `now` is organisation time."""
    asking = Asking()
    user = asking.read(lambda: _id("userId", _required("userId", user_id)))
    wallet = asking.read(lambda: None if wallet_id is None else _id("walletId", wallet_id))
    coin = asking.read(lambda: None if currency is None else word("currency", currency, CURRENCIES))
    written_as = asking.read(lambda: _format(file_format))
    zone = asking.read(lambda: _zone(time_zone))
    # A zone that is none is told itself; the dates are judged all the same.
    days = zone.key if zone else UTC_ZONE
    after = asking.read(lambda: _bound(AFTER, created_after, days, now))
    before = asking.read(lambda: _bound(BEFORE, created_before, days, now))
    if after is not None and before is not None and before <= after:
        asking.wrong[BEFORE] = "createdBefore must be later than createdAfter"
    if asking.wrong:
        raise FieldsInvalid(asking.wrong)
    # Whatever is missing is wrong.
    assert user
    assert written_as
    assert zone
    assert after
    assert before
    return Asked(
        format=written_as,
        user_id=user,
        wallet_id=wallet,
        currency=coin,
        after=after,
        before=before,
        zone=zone,
    )


def _format(text: str | None) -> Format:
    return Format.JSON if text is None else word("format", text, Format)


def _required(name: str, text: str | None) -> str:
    if text is None:
        raise FieldInvalid(f"{name} is required", field=name)
    return text


def _id(name: str, text: str) -> UUID:
    found = as_uuid(text)
    if found is None:
        raise FieldInvalid(f"{name} is not a UUID", field=name)
    return found


def _zone(text: str | None) -> ZoneInfo:
    name = UTC_ZONE if text is None else text
    if name not in _zones():
        raise FieldInvalid(
            "timeZone must be a name of IANA's database, as in UTC or Europe/Berlin",
            field=TIME_ZONE,
        )
    return ZoneInfo(name)


def _bound(name: str, text: str | None, zone: str, now: datetime) -> datetime:
    """A date, which is today at the latest, or an instant, which is no later than today's end."""
    told = _required(name, text)
    try:
        bound = parse_bound(told, zone)
        # It is shown in this zone, whose calendar may end a few hours earlier.
        bound.astimezone(ZoneInfo(zone))
    except ValueError as error:
        raise FieldInvalid(f"{name} {error}", field=name) from error
    except OverflowError as error:
        raise FieldInvalid(f"{name} lies too far away", field=name) from error
    today = local_day(now, zone)
    latest = today if is_bare_date(told) else today + timedelta(days=1)
    if bound > start_of_day(latest, zone):
        raise FieldInvalid(f"{name} must not lie after today, {today}", field=name)
    return bound


@cache
def _zones() -> frozenset[str]:
    return frozenset(available_timezones() - _NO_ZONES)
