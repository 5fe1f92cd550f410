"""Expected wallet effects of settled records: (user, asset) to units."""

from collections import Counter
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from tests.tenants import Tenant

PATH_OF = {
    "WALLET.SWAP": "/v2/wallets/swaps",
    "WALLET.TRANSFER": "/v2/wallets/transfers",
    "WALLET.TRANSFER.BATCH": "/v2/wallets/transfers/batches",
    "WALLET.BRIDGE": "/v2/wallets/bridges",
    "ONRAMP": "/v2/onramps",
    "OFFRAMP": "/v2/offramps",
    "DISBURSEMENT": "/v2/disbursements",
}
PATHS = tuple(PATH_OF.values())
# Statuses at which a payment waits for a person.
WAITING = frozenset({"OPEN_QUOTE", "AWAITING_FUNDS", "IN_REVIEW", "PENDING_APPROVAL"})

# Statuses of ramps whose payment may be returned, or whose deposit may be reversed.
UNDONE = frozenset({"COMPLETED", "FIAT_RETURNED", "FIAT_PENDING", "FIAT_FAILED", "CRYPTO_FAILED"})


async def records(org: Tenant) -> list[dict[str, Any]]:
    """Return the newest hundred records of each kind."""
    found: list[dict[str, Any]] = []
    for path in PATHS:
        page = await org.get(path, limit=100)
        listed: list[dict[str, Any]] = page.get("records") or page.get("data") or []
        found += [{"kind": each["transferType"], **each["transferDetails"]} for each in listed]
    return found


def path_of(record: Mapping[str, Any]) -> str:
    """Return the path of a record."""
    return f"{PATH_OF[record['kind']]}/{record['id']}"


def units(amount: str | Decimal | float) -> int:
    """Smallest units of a stablecoin amount."""
    scaled = Decimal(str(amount)).scaleb(6)
    assert scaled == int(scaled), amount
    return int(scaled)


def accept_verb(path: str) -> str:
    """Return the accept action of this kind of quote."""
    return "/quote/accept" if "ramps/" in path else "/accept"


def effect(
    record: Mapping[str, Any], *, outside: str, shares_with: str
) -> Counter[tuple[str, str]]:
    """Return the effect of a settled record on wallets.

    `outside` is an external address, `shares_with` the recipient of the settlement rule.
    """
    moved: Counter[tuple[str, str]] = Counter()
    match record["kind"], record["status"]:
        case "WALLET.SWAP", "COMPLETED":
            quote = record["quoteInformation"]
            _add(moved, record["source"], -units(quote["sendGross"]["amount"]))
            if record["destination"]["walletAddress"] != outside:
                _add(moved, record["destination"], units(quote["receiveNet"]["amount"]))
        case "WALLET.TRANSFER", "COMPLETED":
            on = {"chain": record["chain"], "currency": record["currency"]}
            _add(moved, {**record["source"], **on}, -units(record["amountIncludeDeveloperFee"]))
            _add_arrival(moved, record, outside)
        case "WALLET.TRANSFER.BATCH", "COMPLETED":
            on = {"chain": record["chain"], "currency": record["currency"]}
            for item in record["destination"]["batch"]:
                _add(moved, {**record["source"], **on}, -units(item["amount"]))
                _add(moved, {**item, **on}, units(item["amount"]))
        case "WALLET.BRIDGE", "COMPLETED":
            _add(moved, record["source"], -units(record["amount"]))
            _add(moved, record["destination"], units(record["amount"]))
        case "ONRAMP", "COMPLETED":
            quote, end = record["quoteInformation"], record["destination"]
            left = units(quote["receiveNet"]["amount"])
            _add(moved, end, left)
            # The share of a settlement rule goes to the one wallet that it names.
            fee = units(quote["receiveGross"]["amount"]) - left
            _add(moved, {**end, "userId": shares_with}, fee)
        case "OFFRAMP", _:
            _add_payout(moved, record)
        case "DISBURSEMENT", "COMPLETED":
            _add_arrival(moved, record, outside)
        case _:
            pass  # ended before anything moved, or fully refunded
    return moved


def _add_arrival(moved: Counter[tuple[str, str]], record: Mapping[str, Any], outside: str) -> None:
    """Add the amount of one recipient, unless the coins left the platform."""
    if record["destination"]["walletAddress"] != outside:
        on = {"chain": record["chain"], "currency": record["currency"]}
        _add(moved, {**record["destination"], **on}, units(record["amount"]))


def _add_payout(moved: Counter[tuple[str, str]], record: Mapping[str, Any]) -> None:
    """Add the amount debited by an offramp; nothing for external coins."""
    if record["source"]["externalWalletId"] is not None:
        return
    if record["status"] == "COMPLETED":
        _add(moved, record["source"], -units(record["quoteInformation"]["sendGross"]["amount"]))
    elif record["status"] == "CRYPTO_RETURNED":
        # Amounts received by the developer's wallets are not clawed back.
        quote = record["quoteInformation"]
        paid = units(quote["sendGross"]["amount"]) - units(quote["sendNet"]["amount"])
        _add(moved, record["source"], -paid)


def _add(moved: Counter[tuple[str, str]], end: Mapping[str, Any], sum_units: int) -> None:
    moved[end["userId"], f"{end['currency']}:{end['chain']}"] += sum_units
