"""Errors of payments."""

from landbridge.platform.core.errors import Refused


class AccountUnfit(Refused):
    """This bank account does not fit the payment."""

    code, name, status = 400002, "INVALID_ACCOUNT_FOR_TRANSACTION", 400


class QuoteNotFound(Refused):
    """This payment has no quote yet."""

    code, name, status = 400302, "QUOTE_NOT_FOUND", 404
