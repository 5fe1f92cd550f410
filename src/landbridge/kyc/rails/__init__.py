"""What each rail asks, and how money moves on it: one table per rail and type of user."""

from collections.abc import Mapping

from landbridge.kyc.model import Rail
from landbridge.kyc.rails import (
    africa_general,
    africa_nigeria,
    global_network,
    south_america,
    usd,
)
from landbridge.kyc.rails.table import RailTable

RAILS: Mapping[Rail, RailTable] = {
    Rail.USD: usd,
    Rail.SOUTH_AMERICA_STANDARD: south_america,
    Rail.AFRICA_GENERAL: africa_general,
    Rail.AFRICA_NIGERIA: africa_nigeria,
    Rail.GLOBAL_NETWORK: global_network,
}
