"""Every type of account: the one place that lists the tables."""

from collections.abc import Mapping

from landbridge.accounts.tables import Ramp, Table
from landbridge.accounts.types.africa import AFRICA_OFFRAMP, AFRICA_ONRAMP
from landbridge.accounts.types.global_network import (
    BRAZIL_GLOBAL,
    CHINA_GLOBAL,
    EUROPE_GLOBAL,
    HONG_KONG_GLOBAL,
    MEXICO_GLOBAL,
    NIGERIA_GLOBAL,
    SINGAPORE_GLOBAL,
)
from landbridge.accounts.types.south_america import ARGENTINA, BRAZIL, COLOMBIA, MEXICO
from landbridge.accounts.types.us import US

TABLES: tuple[Table, ...] = (
    US,
    BRAZIL,
    COLOMBIA,
    ARGENTINA,
    MEXICO,
    AFRICA_ONRAMP,
    AFRICA_OFFRAMP,
    BRAZIL_GLOBAL,
    NIGERIA_GLOBAL,
    MEXICO_GLOBAL,
    HONG_KONG_GLOBAL,
    CHINA_GLOBAL,
    SINGAPORE_GLOBAL,
    EUROPE_GLOBAL,
)

# The names that `type` may have, in the order of the reference.
NAMES: tuple[str, ...] = tuple(dict.fromkeys(table.name for table in TABLES))

# The table of a type on a ramp.
BY_TYPE: Mapping[tuple[str, Ramp], Table] = {
    (table.name, ramp): table for table in TABLES for ramp in table.ramps
}
