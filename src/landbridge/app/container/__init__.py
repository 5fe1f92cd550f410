"""Container: builds every service from the settings."""

from landbridge.app.container.adapters import (
    FILES_FOLDER,
    MASTER_KEY_FILE,
    identity,
    mail,
    make_key,
    policy,
    sealer,
    storage,
)
from landbridge.app.container.container import Container, wire
from landbridge.app.container.container_start import open_container
from landbridge.app.container.registry import ASSETS, AUDIT_RULES, TRANSITIONS

__all__ = [
    "ASSETS",
    "AUDIT_RULES",
    "FILES_FOLDER",
    "MASTER_KEY_FILE",
    "TRANSITIONS",
    "Container",
    "identity",
    "mail",
    "make_key",
    "open_container",
    "policy",
    "sealer",
    "storage",
    "wire",
]
