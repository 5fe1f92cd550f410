"""Settings of every session: timeouts, and how statements are planned.

A direct connection sends them when it starts. A pooler in transaction mode refuses or forgets them,
so the role of its sessions must have them; `check` names the missing ones.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final

from landbridge.platform.core.errors import LandbridgeError

# Our statements take milliseconds; one that takes this long is stuck, and its client has given up.
STATEMENT_TIMEOUT_MS = 20_000
LOCK_TIMEOUT_MS = 10_000
IDLE_IN_TRANSACTION_TIMEOUT_MS = 30_000
# Settings of sessions at a coordinator of Citus.
ONE_NODE_SETTINGS: Final = {
    # A generic plan hides the organisation of a statement, and so the node that has its rows.
    "plan_cache_mode": "force_custom_plan",
    # With hidden shard tables, asyncpg's recursive query over types would never end.
    "citus.override_table_visibility": "off",
    # One connection to each node, so that a transaction that has asked all shards may still write
    # to a table that is on each node.
    "citus.multi_shard_modify_mode": "sequential",
}

_EFFECTIVE: Final = """
select lower(s.name) as name, s.setting as value,
    format('alter role %I in database %I set', current_user, current_database()) as command
from pg_settings s
where lower(s.name) = any($1)
"""


class PoolerSettingsMissing(LandbridgeError):
    """Sessions of the pooler lack required settings."""


@dataclass(frozen=True, slots=True)
class Pooler:
    """Connection pooler in transaction mode, such as PgBouncer.

    Without `keeps_statements` it loses prepared statements between transactions (PgBouncer before
    1.21).
    """

    keeps_statements: bool


def session_settings(*, is_patient: bool) -> dict[str, str]:
    """Return the settings of a session; with `is_patient`, its statements have no timeout."""
    return {
        "timezone": "UTC",
        "statement_timeout": "0" if is_patient else str(STATEMENT_TIMEOUT_MS),
        "lock_timeout": str(LOCK_TIMEOUT_MS),
        "idle_in_transaction_session_timeout": str(IDLE_IN_TRANSACTION_TIMEOUT_MS),
        # JIT compilation costs more than any of our statements.
        "jit": "off",
        # Planning each execution costs more, too: every statement has one good plan for all
        # arguments.
        "plan_cache_mode": "force_generic_plan",
        # The plan is kept while tables grow, so it must not be chosen for small tables: always use
        # an index (measured: docs/internals/speed.md).
        "enable_seqscan": "on" if is_patient else "off",
        # Starting parallel workers costs more than a statement of a request takes.
        "max_parallel_workers_per_gather": "2" if is_patient else "0",
    }


async def check(fetch: Callable[..., Awaitable[list[Any]]]) -> None:
    """Raise `PoolerSettingsMissing` if the sessions of a pooler lack required settings."""
    wanted = session_settings(is_patient=False)
    rows = await fetch(_EFFECTIVE, list(wanted))
    missing = [row for row in rows if row["value"] != wanted[row["name"]]]
    if missing:
        commands = "\n".join(
            f"  {row['command']} {row['name']} = '{wanted[row['name']]}';" for row in missing
        )
        raise PoolerSettingsMissing(
            "Sessions of the pooler at LANDBRIDGE_POOLER_URL lack settings. Run this once, and "
            f"have the pooler reconnect (RECONNECT):\n{commands}"
        )
