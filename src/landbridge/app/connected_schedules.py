"""Schedules of the worker for connected chains and providers."""

from contextlib import suppress

from landbridge.app.container import Container
from landbridge.app.worker_schedules import ClockOffsets, WorkerJob, WorkerSchedule
from landbridge.providers.evm.errors import NodeUnavailable
from landbridge.providers.evm.outbox.local_funds import LocalFunds
from landbridge.providers.evm.outbox.service import ChainOutbox
from landbridge.providers.sidecar.monitoring import watch_providers


def chain_schedules(container: Container) -> list[WorkerSchedule]:
    """Return the schedules of each connected chain: a slow one does not hold up the others."""
    if container.evm is None:
        return []
    return [
        WorkerSchedule("chain_orders", 15.0, lambda c, _: c.chain_monitoring.count()),
        # A treasury below its floor raises an alarm within a minute.
        WorkerSchedule(
            "chain_treasuries",
            60.0,
            lambda c, offsets: c.chain_monitoring.watch_treasuries(offsets),
        ),
        # A transaction is seen in its block within this time.
        *(
            WorkerSchedule(f"chain_{name}", 0.25, _outbox_job(outbox))
            for name, outbox in container.evm.outboxes.items()
        ),
        *_solana_schedules(container),
        # Nobody waits for it.
        WorkerSchedule("chain_gas", 2.0, _book_gas),
        # A deposit is seen this long after it has its confirmations.
        WorkerSchedule("chain_deposits", 0.5, _follow_chains),
        # Final coins at an organisation's own address reach their payment this much later.
        WorkerSchedule(
            "treasury_deposits", 0.5, lambda c, offsets: c.external_coins.run_once(offsets)
        ),
        *(
            WorkerSchedule(f"chain_funds_{name}", 2.0, _funds_job(funds))
            for name, funds in container.evm.local_funds.items()
        ),
    ]


def _solana_schedules(container: Container) -> list[WorkerSchedule]:
    if container.evm is None or container.evm.solana is None:
        return []
    outbox = container.evm.solana.outbox
    # A block takes 0.4 s.
    return [WorkerSchedule("chain_SOLANA", 0.5, lambda _, __: outbox.run_once())]


def provider_schedules(container: Container) -> list[WorkerSchedule]:
    """Return the polls of each connected provider: a slow one does not hold up the others."""
    if container.providers is None:
        return []
    return [
        WorkerSchedule("provider_monitoring", 15.0, _watch_providers),
        # A verification that a webhook announces is queried within a second.
        WorkerSchedule("provider_applications", 0.5, _follow_applications, 1.0),
        # Credits that a webhook announces are read within a second, all others at `poll_s`.
        *(
            WorkerSchedule(f"provider_credits_{name}", 1.0, _credits_job(name))
            for name in container.providers.clients
        ),
    ]


def _credits_job(name: str) -> WorkerJob:
    async def run(container: Container, offsets: ClockOffsets) -> bool:
        assert container.provider_credits is not None
        return await container.provider_credits.run_once(name, offsets)

    return run


async def _follow_applications(container: Container, offsets: ClockOffsets) -> bool:
    assert container.application_announcements is not None
    return await container.application_announcements.run_once(offsets)


async def _watch_providers(container: Container, _offsets: ClockOffsets) -> None:
    assert container.providers is not None
    await watch_providers(container.database, container.clock, container.providers.clients)


async def _book_gas(container: Container, offsets: ClockOffsets) -> bool:
    assert container.evm is not None
    return await container.evm.gas_costs.book(offsets)


async def _follow_chains(container: Container, offsets: ClockOffsets) -> bool:
    assert container.chain_deposit_steps is not None
    return await container.chain_deposit_steps.run_once(offsets)


def _outbox_job(outbox: ChainOutbox) -> WorkerJob:
    return lambda _, __: outbox.run_once()


def _funds_job(funds: LocalFunds) -> WorkerJob:
    async def run(_container: Container, _offsets: ClockOffsets) -> None:
        with suppress(NodeUnavailable):
            await funds.run()

    return run
