"""Tax numbers of people and businesses, by country."""

import re
from importlib import import_module
from typing import Protocol, cast

from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.formats.addresses import find_alpha2
from landbridge.platform.formats.texts import check_text

_LENGTH_MIN, _LENGTH_MAX = 3, 32

# Modules of python-stdnum by country, each a scheme that a tax office there assigns to people or to
# businesses. A country is listed only if its schemes cover both: a partial list would reject valid
# numbers. (Left out for this reason: Colombia, where people often know their number without its
# check digit; the United Kingdom, as the library lacks its insurance numbers; Singapore, Ghana,
# Hungary.)
_SCHEMES: dict[str, tuple[str, ...]] = {
    "AR": ("ar.cuit",),
    "AU": ("au.tfn", "au.abn", "au.acn"),
    "BE": ("be.nn", "be.bis", "be.vat"),
    "BG": ("bg.egn", "bg.pnf", "bg.vat"),
    "BR": ("br.cpf", "br.cnpj"),
    "CA": ("ca.sin", "ca.bn"),
    "CH": ("ch.ssn", "ch.uid"),
    "CL": ("cl.rut",),
    "CN": ("cn.ric", "cn.uscc"),
    "CZ": ("cz.rc", "cz.dic"),
    "DE": ("de.idnr", "de.stnr", "de.vat"),
    "DK": ("dk.cpr", "dk.cvr"),
    "DO": ("do.cedula", "do.rnc"),
    "EC": ("ec.ci", "ec.ruc"),
    "EE": ("ee.ik", "ee.registrikood", "ee.kmkr"),
    "ES": ("es.nif",),
    "FI": ("fi.hetu", "fi.ytunnus"),
    "FR": ("fr.nif", "fr.siren", "fr.siret", "fr.tva"),
    "HR": ("hr.oib",),
    "IN": ("in_.pan",),
    "IT": ("it.codicefiscale", "it.iva"),
    "KE": ("ke.pin",),
    "KR": ("kr.rrn", "kr.brn"),
    "MX": ("mx.rfc", "mx.curp"),
    "NL": ("nl.bsn", "nl.btw"),
    "NO": ("no.fodselsnummer", "no.orgnr"),
    "PE": ("pe.cui", "pe.ruc"),
    "PL": ("pl.pesel", "pl.nip"),
    "PT": ("pt.nif",),
    "RO": ("ro.cnp", "ro.cf"),
    "SE": ("se.personnummer", "se.orgnr", "se.vat"),
    "SI": ("si.ddv", "si.emso", "si.maticna"),
    "TR": ("tr.tckimlik", "tr.vkn"),
    "US": ("us.ssn", "us.itin", "us.ein"),
    "ZA": ("za.tin", "za.idnr"),
}


_PLAIN = re.compile(r"[A-Za-z0-9 ./-]+")


class _Scheme(Protocol):
    def validate(self, number: str) -> str: ...


def check_tax_number(field: str, number: str, *, country: str | None) -> str:
    """Check a tax number of `country` (alpha-3), including its check digits if it has any.

    For a country without a known scheme: 3 to 32 Latin letters and digits, with blanks and the
    punctuation of such numbers.
    """
    text = check_text(field, number, length_max=100)
    schemes = _SCHEMES.get((find_alpha2(country) or "") if country else "", ())
    for name in schemes:
        if found := _validated(name, text):
            return found
    if schemes:
        raise FieldInvalid(f"{field} is not a tax number of {country}", field=field)
    if not (_LENGTH_MIN <= len(text) <= _LENGTH_MAX and _PLAIN.fullmatch(text)):
        raise FieldInvalid(
            f"{field} must have {_LENGTH_MIN} to {_LENGTH_MAX} letters, digits, blanks and . - /",
            field=field,
        )
    return text


def _validated(name: str, text: str) -> str | None:
    """Return the number in the scheme's form; None if it is invalid."""
    # Each scheme is a module, imported when a number of its country is first checked.
    scheme = cast("_Scheme", import_module(f"stdnum.{name}"))
    try:
        return scheme.validate(text)
    except (ValueError, LookupError, ArithmeticError):
        # The library rejects a number with ValueError; any other exception is its own bug.
        return None
