"""Routes of the reporting time zone: /v2/reporting/time-zone. Ours."""

from typing import Annotated, Any

from litestar import Controller, get, put
from litestar.di import NamedDependency
from litestar.params import JSONBody

from landbridge.platform.http.caller import ApiRequest
from landbridge.platform.http.constraints import ZONE_NAME, with_schema
from landbridge.platform.http.responses import WireStruct
from landbridge.reporting.rollups.model import TimeZoneState
from landbridge.reporting.rollups.time_zones import TimeZones


class NewTimeZone(WireStruct, frozen=True):
    """`timeZone` is UTC or an IANA name such as `Europe/Berlin`."""

    time_zone: Annotated[str, with_schema(ZONE_NAME)]


class TimeZone(WireStruct, frozen=True):
    """`timeZone` is the zone available to reports besides UTC.

    `nextTimeZone` replaces it once its days are built; null if no change is in progress.
    """

    time_zone: str
    next_time_zone: str | None


class TimeZoneReply(WireStruct, frozen=True):
    """Time zone of an organisation's reports."""

    status: str
    data: TimeZone
    metadata: dict[str, Any]


class TimeZoneRoutes(Controller):
    """Time zone in which an organisation has days besides UTC."""

    path = "/v2/reporting/time-zone"
    tags = ("Reporting",)

    @get(summary="Retrieve the time zone", operation_id="reportTimeZone.retrieve")
    async def retrieve(
        self, request: ApiRequest, time_zones: NamedDependency[TimeZones]
    ) -> TimeZoneReply:
        """Return the value of the parameter `timeZone` that is available besides UTC."""
        return _reply(await time_zones.get(request.user.org_id))

    @put(summary="Set the time zone", operation_id="reportTimeZone.replace")
    async def set(
        self,
        request: ApiRequest,
        data: JSONBody[NewTimeZone],
        time_zones: NamedDependency[TimeZones],
    ) -> TimeZoneReply:
        """Start building days of a zone; reports use the previous one until they are complete.

        Until then, setting another zone answers 409.
        """
        return _reply(await time_zones.set_for(request.user, data.time_zone))


def _reply(zones: TimeZoneState) -> TimeZoneReply:
    reply = TimeZone(time_zone=zones.current, next_time_zone=zones.coming)
    return TimeZoneReply(status="success", data=reply, metadata={})
