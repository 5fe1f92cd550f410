"""Routes of the zone of reports: /v2/reporting/time-zone. Ours."""

from typing import Any

from litestar import Controller, get, put
from litestar.di import NamedDependency
from litestar.params import JSONBody

from landbridge.reporting.rollups.model import Zones
from landbridge.reporting.rollups.zones import TimeZones
from landbridge.web.caller import ApiRequest
from landbridge.web.reply import WireStruct


class NewTimeZone(WireStruct, frozen=True):
    """`timeZone` is UTC, or a name of IANA's such as `Europe/Berlin`."""

    time_zone: str


class TimeZone(WireStruct, frozen=True):
    """`timeZone` is what reports can be asked in besides UTC.

    `nextTimeZone` is what takes its place once its days are made; null if it stays.
    """

    time_zone: str
    next_time_zone: str | None


class TimeZoneReply(WireStruct, frozen=True):
    """The time zone of an organisation's reports."""

    status: str
    data: TimeZone
    metadata: dict[str, Any]


class TimeZoneRoutes(Controller):
    """The zone in which an organisation has days besides UTC."""

    path = "/v2/reporting/time-zone"
    tags = ("Reporting",)

    @get(summary="Retrieve the time zone")
    async def retrieve(
        self, request: ApiRequest, time_zones: NamedDependency[TimeZones]
    ) -> TimeZoneReply:
        """What the parameter `timeZone` of reports may be, besides UTC."""
        return _reply(await time_zones.get(request.user.org_id))

    @put(summary="Set the time zone")
    async def set(
        self,
        request: ApiRequest,
        data: JSONBody[NewTimeZone],
        time_zones: NamedDependency[TimeZones],
    ) -> TimeZoneReply:
        """Days of it are made first; meanwhile reports go on in the one before.

        Until they are there, 409 for another one.
        """
        return _reply(await time_zones.ask(request.user, data.time_zone))


def _reply(zones: Zones) -> TimeZoneReply:
    shown = TimeZone(time_zone=zones.current, next_time_zone=zones.coming)
    return TimeZoneReply(status="success", data=shown, metadata={})
