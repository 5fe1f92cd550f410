"""Language of hosted pages: the browser's preferred one, for the duration of one request."""

from contextvars import ContextVar
from datetime import datetime
from typing import Any

from babel.dates import format_date, format_datetime
from litestar.connection import ASGIConnection
from litestar.handlers import BaseRouteHandler

from landbridge.platform.formats.translations import ENGLISH, best_language, catalogue

_language: ContextVar[str] = ContextVar("hosted_page_language", default=ENGLISH)


async def choose_language(
    connection: ASGIConnection[Any, Any, Any, Any], _handler: BaseRouteHandler
) -> None:
    """Set the language of the pages that answer this request.

    It is a guard because guards are cumulative: a controller's `before_request` would replace
    that of the app.
    """
    _language.set(best_language(connection.headers.get("accept-language", "")))


def language() -> str:
    """Return the language of the current request; English outside of one."""
    return _language.get()


def translate(text: str) -> str:
    """Translate a text that `later` marked."""
    return catalogue(language()).gettext(text) if text else text


def translate_plural(singular: str, plural: str, count: int) -> str:
    """Translate a text that depends on a number."""
    return catalogue(language()).ngettext(singular, plural, count)


def long_date(day: datetime) -> str:
    """Return a date with the month's name."""
    pattern = "d MMMM y" if language() == ENGLISH else "long"
    return format_date(day, pattern, locale=language())


def long_time(moment: datetime) -> str:
    """Return a date and a time in UTC."""
    time = format_datetime(moment, "HH:mm 'UTC'", locale=language())
    time = format_datetime(moment, "HH:mm 'UTC'", locale=language())
    return f"{long_date(moment)}, {time}"
