"""Makers of what the sandbox's chains and banks stand on."""

from landbridge.db.pool import Database
from landbridge.simulation.forcing import Forcing
from landbridge.simulation.playing import Playing
from landbridge.simulation.service import Memory


def make_forcing(database: Database) -> Forcing:
    """Of a sandbox with a bank of its own."""
    return Forcing(database, is_sandbox=True, has_bank=True)


def make_playing(database: Database, memory: Memory | None = None) -> Playing:
    """What chains and banks remember, and which plans they keep to."""
    return Playing(memory or Memory(database), make_forcing(database))
