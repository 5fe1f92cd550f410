import pytest

from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.formats import tax
from landbridge.platform.formats.tax import check_tax_number


@pytest.mark.parametrize(
    ("country", "number", "expected"),
    [
        ("USA", "123-45-6789", "123456789"),
        ("USA", "12-3456789", "123456789"),
        ("BRA", "123.456.789-09", "12345678909"),
        ("BRA", "16.727.230/0001-97", "16727230000197"),
        ("ARG", "20-05536168-2", "20055361682"),
        ("DEU", "36 574 261 809", "36574261809"),
        ("NGA", " 12345678-0001 ", "12345678-0001"),
        (None, "anything at all", "anything at all"),
    ],
)
def test_tax_numbers_are_stored_as_their_country_writes_them(
    country: str | None, number: str, expected: str
) -> None:
    assert check_tax_number("taxIdentificationNumber", number, country=country) == expected


@pytest.mark.parametrize(
    ("country", "number"),
    [
        ("USA", "000-00-0000"),
        ("BRA", "123.456.789-00"),
        ("POL", "44051401459"),
        ("NGA", "12"),
        (None, "1" * 33),
        ("GBR", "<b>1234</b>"),
        ("GBR", "٣٤٥٦٧"),
    ],
)
def test_invalid_tax_number_is_refused(country: str | None, number: str) -> None:
    with pytest.raises(FieldInvalid, match=r"^tax ") as refused:
        check_tax_number("tax", number, country=country)
    assert refused.value.field == "tax"


def test_every_listed_scheme_is_in_the_library() -> None:
    for names in tax._SCHEMES.values():  # pyright: ignore[reportPrivateUsage]  the table itself
        for name in names:
            assert tax._validated(name, "no number") is None  # pyright: ignore[reportPrivateUsage]
