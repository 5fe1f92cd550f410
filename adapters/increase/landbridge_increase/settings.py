"""Settings of the Increase adapter: the operator decides what its documentation leaves open."""

from datetime import datetime
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from landbridge.providers.packages.interface import (
    PackageSettings,
    PackageSettingsInvalid,
    RequestedOutcome,
)

# increase.com/documentation/api has production and sandbox.
_PRODUCTION_HOST = "api.increase.com"
_SECRETS = {"api_key", "webhook_secret"}
# What the sandbox's simulations can do with a transfer.
_OUTCOMES = {RequestedOutcome.SETTLE, RequestedOutcome.RETURN, RequestedOutcome.FAIL}

_Id = Annotated[str, Meta(pattern=r"^[a-z0-9_]{1,64}\Z")]
_Text = Annotated[str, Meta(pattern=r"^[^\x00-\x1f\x7f]{1,200}\Z")]
DepositNetwork = Literal["ach", "wire", "rtp"]


class IncreaseDeposits(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Settings of deposits: what payers are shown, and from when on credits are read.

    `delay_s` is how long after its time a transaction may first be listed: the documentation does
    not say, and none is read earlier.
    """

    since: Annotated[datetime, Meta(tz=True)]
    bank_name: _Text
    bank_address: _Text
    beneficiary_name: _Text
    beneficiary_address: _Text
    networks: Annotated[tuple[DepositNetwork, ...], Meta(min_length=1)]
    delay_s: Annotated[int, Meta(ge=1, le=3_600)] = 120


class IncreaseOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`options` of the providers file. Times in whole seconds."""

    base_url: str
    account_id: _Id
    # What the payee's statement shows, where the payment has no reference of its own.
    statement_descriptor: _Text
    # Name by which payees know the sender: 16 characters in the Nacha format.
    company_name: Annotated[_Text, Meta(max_length=16)]
    # Whether `invalid_operation_error`, a lack of money for one, ends a payout or is tried again.
    invalid_operation: Literal["wait", "refuse"]
    # Network of payouts by the rail `rtp`.
    instant_network: Literal["rtp", "fednow"] = "rtp"
    # Required for RTP and FedNow, and shown to payees of wires.
    source_account_number_id: _Id | None = None
    # Required for FedNow; shown to payees of wires and RTP instead of the account's own name.
    debtor_name: _Text | None = None
    deposits: IncreaseDeposits | None = None
    sandbox: bool = False
    test_outcomes: tuple[RequestedOutcome, ...] = (RequestedOutcome.SETTLE,)
    timeout_s: Annotated[int, Meta(ge=1, le=30)] = 8


class IncreaseSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Valid settings. No secret shows in a text of it."""

    options: IncreaseOptions
    api_key: str
    webhook_secret: str | None

    def __repr__(self) -> str:
        return f"IncreaseSettings({self.options.base_url})"


def read_settings(settings: PackageSettings) -> IncreaseSettings:
    """Return valid settings; raises `PackageSettingsInvalid` with a sentence without secrets."""
    options = settings.read_options(IncreaseOptions)
    if options.sandbox and _PRODUCTION_HOST in options.base_url.lower():
        raise PackageSettingsInvalid("sandbox = true does not go with the address of production")
    if not set(options.test_outcomes) <= _OUTCOMES:
        raise PackageSettingsInvalid("test_outcomes may have settle, return and fail")
    if options.instant_network == "fednow" and options.debtor_name is None:
        raise PackageSettingsInvalid("instant_network = fednow needs debtor_name")
    settings.check_secret_names(_SECRETS)
    api_key = settings.read_secret("api_key")
    if api_key is None:
        raise PackageSettingsInvalid("secret_files must have api_key")
    return IncreaseSettings(
        options=options,
        api_key=api_key,
        webhook_secret=settings.read_secret("webhook_secret"),
    )
