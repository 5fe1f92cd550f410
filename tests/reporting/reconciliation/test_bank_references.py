"""Both sides name the same: deposits, what becomes of them, and lines of which more is known."""

from uuid import uuid4

import msgspec

from landbridge.providers.rails.currencies import FIAT
from landbridge.reporting.reconciliation.model import DifferenceKind
from landbridge.reporting.reconciliation.sources import COMPARED_ASSETS, ReconSourceName
from tests.change_log import placed
from tests.onramps import make_onramp, retrieve
from tests.payments.bank_files.builders import USD, funding
from tests.payments.virtual_accounts.virtual_account_setup import (
    at,
    deposit_body,
)
from tests.payments.virtual_accounts.virtual_account_setup import (
    make_account as make_virtual_account,
)
from tests.payouts import make_payee
from tests.reporting.reconciliation.bank_days import (
    PlantingBank,
    bank_position,
    bank_state,
    found,
    keys,
)
from tests.reporting.reconciliation.compared import compared
from tests.sandbox.scenarios.bank_setup import DAY_S, LINES
from tests.tenants import Tenant


def test_every_account_and_chain_is_a_source() -> None:
    assert {each.bank_asset for each in ReconSourceName if each.is_bank} == set(FIAT.values())
    assert {FIAT[each].code for each in FIAT} <= set(COMPARED_ASSETS)


async def test_a_micro_deposit_agrees(bank: PlantingBank) -> None:
    user = await make_payee(bank.org, funds=None)
    account = await make_virtual_account(bank.org, user)
    number = account["depositInstructions"]["ach"]["accountNumber"]
    await bank.state(bank.credit(5, our_account=number))
    assert await found(bank.org) == []
    assert bank_position(await compared(bank.org)).ledger_units == 5


async def test_a_deposit_of_another_amount_agrees_until_it_is_returned(
    bank: PlantingBank,
) -> None:
    user = await make_payee(bank.org, funds=None)
    onramp = await make_onramp(bank.org, user)
    info = onramp["depositInfo"]
    await bank.state(
        bank.credit(9_000, remittance=info["reference"], our_account=info["wire"]["accountNumber"])
    )
    assert (await retrieve(bank.org, onramp))["status"] == "FIAT_FAILED"
    assert await found(bank.org) == []
    await bank.scenario.write()
    (key,) = await keys(bank.org)
    await bank.state(bank.paid(key, 9_000))
    await bank.wait_days(6)
    assert (await retrieve(bank.org, onramp))["status"] == "FIAT_RETURNED"
    assert await found(bank.org) == []
    assert bank_position(await compared(bank.org)).ledger_units == 0


async def test_a_deposit_that_the_bank_takes_back_agrees_once_it_is_owed(
    bank: PlantingBank,
) -> None:
    user = await make_payee(bank.org, funds=None)
    onramp = await make_onramp(bank.org, user)
    info = onramp["depositInfo"]
    number = info["wire"]["accountNumber"]
    await bank.state(bank.credit(10_000, remittance=info["reference"], our_account=number))
    assert (await retrieve(bank.org, onramp))["status"] == "COMPLETED"
    await bank.state(bank.debit(10_000, return_code="FRAD"))
    line = await bank.scenario.last_line()
    (taken,) = await found(bank.org)
    assert (taken.kind, taken.reference) == (DifferenceKind.UNKNOWN_OUTSIDE, line["id"])
    await bank.scenario.resolve(line, "REVERSAL", transferId=onramp["id"])
    assert await found(bank.org) == []
    assert bank_position(await compared(bank.org)).ledger_units == 0


async def test_a_deposit_of_a_virtual_account_agrees_and_is_taken_back(
    bank: PlantingBank,
) -> None:
    user = await make_payee(bank.org, funds=None)
    account = await make_virtual_account(bank.org, user)
    number = account["depositInstructions"]["ach"]["accountNumber"]
    await bank.state(bank.credit(10_000, our_account=number))
    assert await found(bank.org) == []
    (row,) = await bank.org.container.database.rows(
        "select transfer_id from incoming_payments where org_id = $1", bank.org.org_id
    )
    await bank.state(bank.debit(10_000, return_code="FRAD"))
    line = await bank.scenario.last_line()
    await bank.scenario.resolve(line, "REVERSAL", transferId=str(row["transfer_id"]))
    assert await found(bank.org) == []
    assert bank_position(await compared(bank.org)).ledger_units == 0


async def test_a_credit_that_becomes_a_deposit_is_counted_for_that(bank: PlantingBank) -> None:
    user = await make_payee(bank.org, funds=None)
    onramp = await make_onramp(bank.org, user)
    info = onramp["depositInfo"]
    number = info["wire"]["accountNumber"]
    credit = bank.credit(
        10_000, remittance=info["reference"], our_account=number, return_code="AC04"
    )
    await bank.state(credit)
    (line,) = (await bank.org.get(LINES))["reviews"]
    (first,) = await found(bank.org)
    assert (first.units, first.reference) == (10_000, line["id"])
    await bank.scenario.resolve(line, "DEPOSIT")
    await bank.scenario.pass_time(1)
    assert (await retrieve(bank.org, onramp))["status"] == "COMPLETED"
    assert await found(bank.org) == []


async def test_a_deposit_without_a_line_is_missing_unless_a_sidecar_reported_it(
    bank: PlantingBank,
) -> None:
    org = bank.org
    user = await make_payee(org, funds=None)
    account = await make_virtual_account(org, user)
    for amount in ("20", "30"):
        await org.post(at(user, account["id"], "simulate-deposit"), deposit_body(amount))
    await bank.scenario.pass_time(1)
    (row,) = await org.container.database.rows(
        "select id from incoming_payments where org_id = $1 and units = 3000", org.org_id
    )
    await org.container.database.rows(
        "insert into provider_credits (org_id, provider, credit_id, incoming_payment_id, asset,"
        " account_number, units, received_at)"
        " values ($1, 'test', $2, $3, 'usd:BANK', '1', 3000, now())",
        *(org.org_id, str(uuid4()), row["id"]),
    )
    (missing,) = await found(org)
    assert (missing.kind, missing.units) == (DifferenceKind.MISSING_OUTSIDE, -2_000)
    assert missing.record_id is not None


async def test_sources_that_are_compared_no_more_make_no_organisation_due(
    bank: PlantingBank,
) -> None:
    org = bank.org
    account = funding(USD, bank.scenario.folder)
    now = org.container.clock.stamp(await bank.scenario.offset())
    excluded = msgspec.structs.replace(account, reconciled=False)
    await org.container.funding_accounts.set(org.org_id, excluded, actor="test", at=now)
    await bank.scenario.pass_time(DAY_S)
    assert await runs(org) > 0
    failure = bank_state(await org.container.reconciliation.status(org.org_id)).failure
    assert failure == "the settings of the account exclude it"
    assert await runs(org) == 0


async def runs(org: Tenant) -> int:
    """Run the worker's step; return how many comparisons it has made."""
    container = org.container
    await placed(container.database)
    before = await count_runs(org)
    offset = await container.orgs.clock_offset(org.org_id)
    await container.reconciliation.run_due({org.org_id: offset})
    return await count_runs(org) - before


async def count_runs(org: Tenant) -> int:
    (row,) = await org.container.database.rows(
        "select count(*) as count from recon_runs where org_id = $1", org.org_id
    )
    count: int = row["count"]
    return count
