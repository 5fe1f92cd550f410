"""List of all account types; each table is registered here."""

from collections.abc import Mapping

from landbridge.customers.bank_accounts.field_tables import AccountTypeTable, Ramp
from landbridge.customers.bank_accounts.types.africa import AFRICA_OFFRAMP, AFRICA_ONRAMP
from landbridge.customers.bank_accounts.types.americas import (
    ARGENTINA,
    BRAZIL,
    COLOMBIA,
    MEXICO,
    US,
)
from landbridge.customers.bank_accounts.types.global_network import (
    BRAZIL_GLOBAL,
    CHINA_GLOBAL,
    EUROPE_GLOBAL,
    HONG_KONG_GLOBAL,
    MEXICO_GLOBAL,
    NIGERIA_GLOBAL,
    SINGAPORE_GLOBAL,
)

TABLES: tuple[AccountTypeTable, ...] = (
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

# Permitted values of `type`, in the order of the reference.
NAMES: tuple[str, ...] = tuple(dict.fromkeys(table.name for table in TABLES))

# Table by type and ramp.
BY_TYPE: Mapping[tuple[str, Ramp], AccountTypeTable] = {
    (table.name, ramp): table for table in TABLES for ramp in table.ramps
}
