"""Settings of the Sumsub adapter: the operator decides what its documentation leaves open."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from landbridge.providers.packages.interface import PackageSettings, PackageSettingsInvalid

# Source: docs/app-tokens: a token counts in the mode in which it was made. That those of Sandbox
# mode begin so is in Sumsub's examples (github.com/SumSubstance/AppTokenUsageExamples).
_SANDBOX_TOKEN = "sbx:"  # noqa: S105  a prefix, no secret
_SECRETS = {"app_token", "secret_key", "webhook_secret"}

_Level = Annotated[str, Meta(pattern=r"^[^\x00-\x1f\x7f]{1,200}\Z")]


class SumsubLevels(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Verification levels of one rail. Users of a type without a level are refused."""

    individual: _Level | None = None
    business: _Level | None = None


class SumsubOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`options` of the providers file. Times in whole seconds."""

    base_url: str
    # By the names of rails, `USD` for one. Users of other rails are refused.
    levels: Annotated[dict[str, SumsubLevels], Meta(min_length=1)]
    # Whether names and birth date are sent, and compared with the documents: the level must have
    # the step for it.
    cross_check: bool
    # Whether an applicant on hold waits for Sumsub's dashboard, or is left to our reviewers. A
    # business is on hold too while its owners are verified (reference/get-applicant-review-status).
    on_hold: Literal["wait", "review"]
    # Whether share tokens are taken: that needs a contract with Sumsub.
    share_tokens: bool = False
    # How long a link can be opened; Sumsub's own default.
    link_ttl_s: Annotated[int, Meta(ge=60, le=604_800)] = 1_800
    sandbox: bool = False
    # Of one call; up to five are made in a row.
    timeout_s: Annotated[int, Meta(ge=1, le=15)] = 4

    def level(self, rail: str, *, is_business: bool) -> str | None:
        """Return the level of a rail for persons or businesses; None if there is none."""
        found = self.levels.get(rail, SumsubLevels())
        return found.business if is_business else found.individual


class SumsubSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Valid settings. No secret shows in a text of it."""

    options: SumsubOptions
    app_token: str
    secret_key: str
    webhook_secret: str | None

    def __repr__(self) -> str:
        return f"SumsubSettings({self.options.base_url})"


def read_settings(settings: PackageSettings) -> SumsubSettings:
    """Return valid settings; raises `PackageSettingsInvalid` with a sentence without secrets."""
    options = settings.read_options(SumsubOptions)
    for rail, levels in options.levels.items():
        if levels == SumsubLevels():
            raise PackageSettingsInvalid(f"levels.{rail} has neither individual nor business")
    settings.check_secret_names(_SECRETS)
    app_token, secret_key = settings.read_secret("app_token"), settings.read_secret("secret_key")
    if app_token is None or secret_key is None:
        raise PackageSettingsInvalid("secret_files must have app_token and secret_key")
    if app_token.startswith(_SANDBOX_TOKEN) != options.sandbox:
        raise PackageSettingsInvalid("sandbox = true goes with an app token of Sandbox mode only")
    return SumsubSettings(
        options=options,
        app_token=app_token,
        secret_key=secret_key,
        webhook_secret=settings.read_secret("webhook_secret"),
    )
