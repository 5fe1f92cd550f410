"""Databases of tests on a cluster; nodes.py sets the variables that say where it is."""

import os
from pathlib import Path

from landbridge.ledger.functions import NODE_FUNCTIONS
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.distribution import distribute
from landbridge.platform.db.migrate import migrate
from landbridge.platform.db.pool import Database
from tests.cluster.nodes import FAST, SETTINGS, Cluster, citus_programs, execute, nodes_at

PORT, DIRECTORY = "TEST_CLUSTER_PORT", "TEST_CLUSTER_DIRECTORY"
# Fewer than in production: a database is made for each test that has its own.
_SHARDS = 4
_CLOSED = """
select pg_terminate_backend(a.pid) from pg_stat_activity a where a.datname = '{0}'
"""


def running_cluster() -> Cluster | None:
    """Return the cluster that the tests run on, if they run on one."""
    port = os.environ.get(PORT)
    if port is None:
        return None
    folder = Path(os.environ.get(DIRECTORY, ""))
    return Cluster(nodes_at(citus_programs(), folder, int(port), SETTINGS | FAST))


async def make_distributed_template(nodes: Cluster) -> str:
    """Create a migrated and distributed database, to be copied; return its name."""
    name = f"landbridge_template_{new_id().hex}"
    dsn = await nodes.create_database(name)
    await execute(dsn, f"alter database {name} set citus.shard_count = {_SHARDS}")
    database = await Database.connect(dsn, name="tests", size_max=1, is_patient=True)
    await migrate(database)
    await distribute(database, NODE_FUNCTIONS)
    await database.close()
    for node in nodes.nodes:
        # A server copies no database that is connected to, as by the daemon of Citus.
        await execute(node.dsn(), f"alter database {name} with allow_connections false")
        await execute(node.dsn(), _CLOSED.format(name))
    return name
