"""What relayers, which all organisations share, pay for one of them."""

from dataclasses import replace
from pathlib import Path

from landbridge.platform.db.pool import Database
from landbridge.providers.evm.outbox.model import OutboxState
from tests.providers.solana.solana_orders import (
    make_due,
    new_address,
    run,
    run_until_final,
    sent_order,
    stored,
)
from tests.solana_world import solana_world
from tests.tenants import make_tenant


async def test_an_organisation_does_not_use_up_the_relayers(
    tmp_path: Path, own_database: Database
) -> None:
    """Payees close their token accounts, and keep the rent that a relayer has paid."""
    more = 'organisation_day = "0.003"'
    async with solana_world(tmp_path, own_database, more=more) as world:
        orders = [await sent_order(world, {new_address(): 1}) for _ in range(3)]
        for _ in range(4):
            await make_due(world)
            await run(world)
        found = [await stored(world, each) for each in orders]
        assert [each.state for each in found].count(OutboxState.FINAL) == 2
        (waiting,) = [each for each in found if each.state is OutboxState.CREATED]
        assert waiting.reason is not None
        assert "may cost in 24 hours" in waiting.reason
        # Another organisation has a bound of its own.
        other = replace(world, org=await make_tenant(world.container, world.org.client))
        payee = new_address()
        assert (await run_until_final(other, await sent_order(other, {payee: 1}))).state is (
            OutboxState.FINAL
        )
        await own_database.rows(
            "update solana_attempts set created_at = created_at - interval '1 day'"
        )
        assert (await run_until_final(world, orders[found.index(waiting)])).state is (
            OutboxState.FINAL
        )
