"""A process that simulates a chain compares nothing while others follow it on a node."""

import pytest

from landbridge.app.container import wire
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import ResourceConflict
from landbridge.platform.db.pool import Database
from tests.tenants import SETTINGS, make_tenant, served

_FOLLOWED = """
insert into chain_cursors
    (chain, start_number, start_hash, confirmed_number, confirmed_hash, final_number, final_hash)
values ('POLYGON', 1, '0x1', 1, '0x1', 1, '0x1')
"""


async def test_a_process_without_the_chains_file_compares_nothing(
    own_database: Database, clock: Clock
) -> None:
    container = wire(SETTINGS, own_database, clock)
    async with served(container) as client:
        org = await make_tenant(container, client)
        offset = await container.orgs.clock_offset(org.org_id)
        assert (await container.reconciliation.run(org.org_id, offset)).sources
        await own_database.rows(_FOLLOWED)
        with pytest.raises(ResourceConflict, match="follow POLYGON on nodes: set LANDBRIDGE"):
            await container.reconciliation.run(org.org_id, offset)
        assert not (await container.reconciliation.status(org.org_id)).differences
