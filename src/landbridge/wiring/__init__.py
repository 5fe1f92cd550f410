"""Settings to services."""

from landbridge.wiring.adapters import (
    FILES_FOLDER,
    MASTER_KEY_FILE,
    identity,
    mail,
    make_key,
    policy,
    sealer,
    storage,
)
from landbridge.wiring.house import House, open_house, wire
from landbridge.wiring.kinds import ASSETS, AUDIT_RULES, MOVES

__all__ = [
    "ASSETS",
    "AUDIT_RULES",
    "FILES_FOLDER",
    "MASTER_KEY_FILE",
    "MOVES",
    "House",
    "identity",
    "mail",
    "make_key",
    "open_house",
    "policy",
    "sealer",
    "storage",
    "wire",
]
