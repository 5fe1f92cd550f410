"""Errors of wallets."""

from landbridge.platform.core.errors import Refused


class WalletNotFound(Refused):
    """There is no such wallet."""

    code, name, status = 600301, "WALLET_NOT_FOUND", 404


class WalletAlreadyExists(Refused):
    """This address is registered already."""

    code, name, status = 600001, "WALLET_ALREADY_EXISTS", 409


class WalletConfigInvalid(Refused):
    """The wallet can't be set up like this."""

    code, name, status = 600001, "INVALID_WALLET_CONFIG", 400
