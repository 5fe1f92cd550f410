"""Requirements and payment methods of each rail: one table per rail and type of user."""

from collections.abc import Mapping

from landbridge.customers.kyc.model import Rail
from landbridge.customers.kyc.rails import (
    africa_general,
    africa_nigeria,
    global_network,
    south_america,
    usd,
)
from landbridge.customers.kyc.rails.requirement_table import RailRequirements

RAILS: Mapping[Rail, RailRequirements] = {
    Rail.USD: usd,
    Rail.SOUTH_AMERICA_STANDARD: south_america,
    Rail.AFRICA_GENERAL: africa_general,
    Rail.AFRICA_NIGERIA: africa_nigeria,
    Rail.GLOBAL_NETWORK: global_network,
}
