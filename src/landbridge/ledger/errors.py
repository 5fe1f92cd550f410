"""Errors of the ledger."""

from landbridge.platform.core.errors import Refused


class TransactionNotFound(Refused):
    """There is no such transaction."""

    code, name, status = 400301, "TRANSACTION_NOT_FOUND", 404


class RequestIdTaken(Refused):
    """This requestId was already used for another request; use a new one."""

    code, name, status = 400003, "TRANSACTION_REQUEST_ALREADY_EXISTS", 409


class InsufficientBalance(Refused):
    """The wallet does not hold enough of this stablecoin."""

    code, name, status = 400401, "INSUFFICIENT_BALANCE", 400
