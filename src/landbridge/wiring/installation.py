"""What admins may see of the settings: nothing secret."""

from landbridge.dashboard.organisation.installation import Installation, Line
from landbridge.dashboard.words import later as _
from landbridge.settings import Settings


def installation(settings: Settings) -> Installation:
    """What of the settings admins may see."""
    return Installation(
        pricing=(
            Line(
                _("Kept of market prices, in basis points"),
                "LANDBRIDGE_PRICE_SPREADS",
                settings.price_spreads or "50",
            ),
            Line(_("Prices come from"), "LANDBRIDGE_PRICE_FEED", settings.price_feed or ""),
            Line(
                _("A price is too old after, in seconds"),
                "LANDBRIDGE_PRICE_AGE_MAX_S",
                str(settings.price_age_max_s),
            ),
            Line(
                _("Stablecoins may be off their peg by, in per cent"),
                "LANDBRIDGE_PEG_BOUND_PERCENT",
                str(settings.peg_bound_percent),
            ),
        ),
        others=(
            Line(_("Mode"), "LANDBRIDGE_MODE", str(settings.mode)),
            Line(
                _("Terms of service, version"), "LANDBRIDGE_TERMS_VERSION", settings.terms_version
            ),
            Line(
                _("Events are kept for, in days"),
                "LANDBRIDGE_EVENTS_KEPT_DAYS",
                str(settings.events_kept_days),
            ),
            Line(
                _("Requests are kept for, in days"),
                "LANDBRIDGE_REQUEST_LOG_DAYS",
                str(settings.request_log_days),
            ),
            Line(
                _("Bank files are kept for, in days"),
                "LANDBRIDGE_BANK_FILES_KEPT_DAYS",
                str(settings.bank_files_kept_days),
            ),
            Line(_("What moves fiat"), "LANDBRIDGE_RAILS", settings.bank),
            Line(
                _("Deposits that fit nothing"),
                "LANDBRIDGE_UNMATCHED_DEPOSITS",
                "hold" if settings.holds_unmatched else "return",
            ),
            Line(
                _("Payments above so many dollars are reviewed"),
                "LANDBRIDGE_REVIEW_ABOVE_USD",
                "" if settings.review_above_usd is None else str(settings.review_above_usd),
            ),
            Line(
                _("Payouts go to registered wallets only"),
                "LANDBRIDGE_REQUIRE_REGISTERED_WALLETS",
                "yes" if settings.require_registered_wallets else "no",
            ),
            Line(_("Webhooks are delivered"), "LANDBRIDGE_WEBHOOKS", settings.webhooks),
        ),
    )
