"""Errors of quoting."""

from landbridge.platform.core.errors import Refused


class RouteInvalid(Refused):
    """This pair of currencies and chains is not served."""

    code, name, status = 400001, "INVALID_TRANSACTION_ROUTE", 400


class QuoteNotReady(Refused):
    """There is no fresh price for this pair at the moment; try again shortly."""

    code, name, status = 400005, "QUOTE_NOT_READY", 409


class QuoteInvalid(Refused):
    """The quote has expired or is no longer valid; create a new one."""

    code, name, status = 400006, "INVALID_QUOTE", 400
