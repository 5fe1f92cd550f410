"""Settings of the installation that admins may see, without secrets."""

from landbridge.app.settings import Settings
from landbridge.dashboard.organisation.installation import Installation, SettingLine
from landbridge.platform.formats.translations import later as _


def installation(settings: Settings) -> Installation:
    """Return the settings that admins may see."""
    return Installation(
        pricing=(
            SettingLine(
                _("Market price margin, in basis points"),
                "LANDBRIDGE_PRICE_SPREADS",
                settings.price_spreads or "50",
            ),
            SettingLine(_("Price source"), "LANDBRIDGE_PRICE_FEED", settings.price_feed or ""),
            SettingLine(
                _("Maximum price age, in seconds"),
                "LANDBRIDGE_PRICE_AGE_MAX_S",
                str(settings.price_age_max_s),
            ),
            SettingLine(
                _("Maximum stablecoin depeg, in percent"),
                "LANDBRIDGE_PEG_BOUND_PERCENT",
                str(settings.peg_bound_percent),
            ),
        ),
        others=(
            SettingLine(_("Mode"), "LANDBRIDGE_MODE", str(settings.mode)),
            SettingLine(
                _("Terms of service version"), "LANDBRIDGE_TERMS_VERSION", settings.terms_version
            ),
            SettingLine(
                _("Event retention, in days"),
                "LANDBRIDGE_EVENTS_KEPT_DAYS",
                str(settings.events_kept_days),
            ),
            SettingLine(
                _("API log retention, in days"),
                "LANDBRIDGE_REQUEST_LOG_DAYS",
                str(settings.request_log_days),
            ),
            SettingLine(
                _("Bank file retention, in days"),
                "LANDBRIDGE_BANK_FILES_KEPT_DAYS",
                str(settings.bank_files_kept_days),
            ),
            SettingLine(_("Fiat provider"), "LANDBRIDGE_RAILS", settings.bank),
            SettingLine(
                _("Unmatched deposits"),
                "LANDBRIDGE_UNMATCHED_DEPOSITS",
                "hold" if settings.holds_unmatched else "return",
            ),
            SettingLine(
                _("Review payments above, in USD"),
                "LANDBRIDGE_REVIEW_ABOVE_USD",
                "" if settings.review_above_usd is None else str(settings.review_above_usd),
            ),
            SettingLine(
                _("Payouts to registered wallets only"),
                "LANDBRIDGE_REQUIRE_REGISTERED_WALLETS",
                "yes" if settings.require_registered_wallets else "no",
            ),
            SettingLine(_("Webhook deliveries"), "LANDBRIDGE_WEBHOOKS", settings.webhooks),
        ),
    )
