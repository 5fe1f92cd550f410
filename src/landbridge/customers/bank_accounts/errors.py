"""Errors of bank accounts."""

from landbridge.platform.core.errors import Refused


class AccountDataInvalid(Refused):
    """The bank data of the account are incomplete or misshapen."""

    code, name, status = 500001, "INVALID_ACCOUNT_DATA", 400


class AccountNotFound(Refused):
    """There is no such bank account."""

    code, name, status = 500301, "ACCOUNT_NOT_FOUND", 404


class InactiveAccount(Refused):
    """The bank account is not active."""

    code, name, status = 500501, "INACTIVE_ACCOUNT", 409
