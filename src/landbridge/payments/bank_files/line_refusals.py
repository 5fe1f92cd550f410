"""Decides whether a statement line proves that a payment came back, or that the bank has paid it.

A single reviewer decides that a payment came back, and the user then gets all coins. Anybody who
knows a payment's reference can send a cent with it, so a line proves a return only by its amount:
it is at most the amount paid, and less than that by at most a bank's fee. A debit of another
amount, such as the bank's charge for a payment, does not prove that the payment was made.
"""

from landbridge.payments.bank_files.model import BankPayment
from landbridge.payments.bank_files.statement_line_model import StatementLineKind
from landbridge.payments.bank_files.statement_line_store import SealedStatementLine
from landbridge.platform.core.errors import Refused, ResourceConflict
from landbridge.platform.core.money import Money

# Highest fee of a bank, in whole units of the currency: about 100 dollars. Source: price lists of
# banks (returns of SWIFT payments cost 15 to 75 dollars); exchange rates of 2026, rounded.
FEE_MAX = {
    "usd": 100,
    "eur": 100,
    "brl": 500,
    "mxn": 2_000,
    "cop": 400_000,
    "ars": 150_000,
    "hkd": 800,
    "cny": 700,
    "sgd": 130,
    "ngn": 150_000,
    "kes": 13_000,
    "zmw": 2_500,
    "mwk": 175_000,
    "tzs": 250_000,
    "bwp": 1_400,
    "cdf": 250_000,
    "ghs": 1_200,
    "zar": 1_800,
    "ugx": 360_000,
    "rwf": 145_000,
    "xaf": 60_000,
    "xof": 60_000,
}


def return_refusal(line: SealedStatementLine, payment: BankPayment) -> Refused | None:
    """Return why a line does not prove that a payment came back; None if it proves that.

    A line without an amount is accepted: it is the bank's own report on a payment.
    """
    if line.money is None:
        return None
    paid = payment.money
    if line.money.asset != paid.asset:
        return ResourceConflict(f"line {line.id} is not in the currency of the payment")
    # Amount that did not come back: all of a debit, or the paid amount less a credit.
    kept = line.money if line.kind is StatementLineKind.DEBIT else paid - line.money
    if kept.units < 0:
        return ResourceConflict(
            f"payment {payment.key} paid {paid} {paid.asset.currency}, and {line.money} "
            f"{paid.asset.currency} came back by line {line.id}: the rest belongs to another "
            "payment. Ask the bank, then resolve the line as HANDLED, and the payment by a "
            "resolution of two people"
        )
    if kept.units <= _fee_max(paid):
        return None
    return ResourceConflict(
        f"payment {payment.key} paid {paid} {paid.asset.currency}, and by line {line.id} {kept} "
        "did not come back, which is more than the fee of a bank: ask the bank, then resolve the "
        "line as HANDLED, and the payment by a resolution of two people or by `landbridge correct`"
    )


def settle_refusal(line: SealedStatementLine, payment: BankPayment) -> Refused | None:
    """Return why a line does not prove that the bank has paid a payment; None if it proves that."""
    if line.kind in {StatementLineKind.CREDIT, StatementLineKind.RETURN}:
        return ResourceConflict(
            f"line {line.id} is a {line.kind}: money that came does not settle {payment.key}"
        )
    if line.money is None:
        return None
    paid = payment.money
    is_near = line.money.asset == paid.asset and (
        abs(line.money.units - paid.units) <= _fee_max(paid)
    )
    if is_near:
        return None
    return ResourceConflict(
        f"line {line.id} is of {line.money}, and payment {payment.key} is of {paid} "
        f"{paid.asset.currency}: they differ by more than the fee of a bank. Ask the bank, then "
        "resolve the line as HANDLED, and the payment by a resolution of two people"
    )


def _fee_max(paid: Money) -> int:
    """Return a bank's highest fee for a payment in smallest units, at most half of the payment."""
    fee_max = Money.parse(FEE_MAX[paid.asset.currency], paid.asset)
    return min(fee_max.units, paid.units // 2)


def deposit_refusal(line: SealedStatementLine) -> Refused | None:
    """Return why a line can't become a deposit; None if it can.

    Money that the bank marks as a return of our payment belongs to the user of that payment.
    """
    if line.kind is not StatementLineKind.CREDIT:
        return ResourceConflict(f"line {line.id} is a {line.kind}: only a CREDIT becomes a deposit")
    if line.rank == 0 and line.payment_key is not None:
        return ResourceConflict(
            f"line {line.id} is a return of payment {line.payment_key}, and no deposit"
        )
    return None
