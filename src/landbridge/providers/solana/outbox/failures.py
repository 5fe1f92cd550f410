"""Reasons for which a transfer fails on Solana, in a simulation or on the chain.

Sources: error codes of spl-token, spl-token-2022 and spl-associated-token-account, and
`TransactionError` of the validator.
"""

from typing import Any, cast

from landbridge.providers.evm.outbox.plans import PlanRefusal, PlanWait
from landbridge.providers.solana.messages import CREATION_PLACES

# Error codes of the token programs.
_INSUFFICIENT_FUNDS, _ACCOUNT_FROZEN, _MINT_MISMATCH, _OWNER_MISMATCH = 1, 17, 3, 4

_COINS = PlanWait("waits for coins at the paying address")
_RELAYER = PlanWait("waits for a relayer: none has native coins to send")
_UNKNOWN = PlanWait("waits: the token's program refuses the transfer for an unknown reason")
_OWNED = PlanRefusal("the recipient's token account belongs to another wallet")
_BY_CODE = {
    _INSUFFICIENT_FUNDS: _COINS,
    _ACCOUNT_FROZEN: PlanRefusal("the token's issuer has blocked an address of the transfer"),
    _MINT_MISMATCH: PlanRefusal("the recipient's account is of another token"),
    _OWNER_MISMATCH: PlanRefusal("the paying token account belongs to another wallet"),
}
_BY_NAME = {
    "AccountNotFound": _RELAYER,
    "InsufficientFundsForFee": _RELAYER,
    "InsufficientFundsForRent": _RELAYER,
    "BlockhashNotFound": PlanWait("waits for the chain's nodes"),
}
# An error without a code: the paying token account does not exist, so nothing ever arrived there.
_BY_CREATION = {"IllegalOwner": _OWNED, "InvalidAccountOwner": _OWNED}
_BY_TRANSFER: dict[str, PlanWait] = {
    "IncorrectProgramId": _COINS,
    "InvalidAccountData": _COINS,
    "UninitializedAccount": _COINS,
}
_SYSTEM_LACKS_LAMPORTS = 1


def explain_failure(error: object) -> PlanRefusal | PlanWait:
    """Return the meaning of a transaction's error for its order: a refusal or a wait."""
    if isinstance(error, str):
        return _BY_NAME.get(error, _UNKNOWN)
    if not isinstance(error, dict):
        return _UNKNOWN
    members = cast("dict[str, Any]", error)
    match members.get("InstructionError"):
        case [int(place), problem] if place in CREATION_PLACES:
            return _of_creation(problem)
        case [int(), {"Custom": int(code)}]:
            return _BY_CODE.get(code, _UNKNOWN)
        case [int(), str(name)]:
            return _BY_TRANSFER.get(name, _UNKNOWN)
        case _:
            return next((_BY_NAME[each] for each in members if each in _BY_NAME), _UNKNOWN)


def _of_creation(problem: object) -> PlanRefusal | PlanWait:
    if isinstance(problem, str):
        return _BY_CREATION.get(problem, _UNKNOWN)
    if problem == {"Custom": _SYSTEM_LACKS_LAMPORTS}:
        return _RELAYER
    # The associated token program has a single code of its own: the account has another owner.
    return _OWNED if problem == {"Custom": 0} else _UNKNOWN
