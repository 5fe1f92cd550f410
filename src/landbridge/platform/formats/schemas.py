"""Types of fields that a check of this package reads, with their OpenAPI schemas.

The types validate nothing; the checks do, with their own error messages. No schema is wider than
its check. A schema is narrower where the check is lenient (surrounding blanks, rare characters). It
excludes emoji and other characters beyond 2^16. It ignores what no pattern can express: check
digits, numbering plans, and dependencies on other fields.
"""

from collections.abc import Mapping
from itertools import pairwise
from typing import Annotated, TypeAlias

from landbridge.platform.formats.people import EMAIL_LENGTH_MAX
from landbridge.platform.formats.texts import TEXT_LENGTH_MAX, URL_LENGTH_MAX
from landbridge.platform.http.constraints import (
    Keywords,
    or_empty,
    pattern_schema,
    schema_reference,
    with_schema,
)

# Ranges of code points of scripts in use. They keep patterns short and independent of the version
# of Unicode. VISIBLE: letters, digits, punctuation and symbols.
VISIBLE = (
    "21-7e a1-ac ae-2ff 370-377 37a-37f 384-38a 38e-3a1 3a3-482 48a-52f 531-556 559-58a 5d0-5ea "
    "5ef-5f4 606-60f 61d-64a 660-66f 671-6d5 6ee-70d 712-72f 74d-7a5 7c0-7ea 7f4-7fa 7fe-815 "
    "830-83e 840-858 860-86a 870-88e 8a0-8c9 904-939 958-961 964-980 985-98c 993-9a8 9aa-9b0 "
    "9b6-9b9 9e6-9fd a05-a0a a13-a28 a2a-a30 a59-a5c a66-a6f a85-a8d a93-aa8 aaa-ab0 ab5-ab9 "
    "ae6-af1 b05-b0c b13-b28 b2a-b30 b35-b39 b66-b77 b85-b8a b92-b95 bae-bb9 be6-bfa c05-c0c "
    "c12-c28 c2a-c39 c66-c6f c77-c80 c84-c8c c92-ca8 caa-cb3 cb5-cb9 ce6-cef d04-d0c d12-d3a "
    "d58-d61 d66-d7f d85-d96 d9a-db1 db3-dbb dc0-dc6 de6-def e01-e30 e3f-e46 e4f-e5b e86-e8a "
    "e8c-ea3 ea7-eb0 ec0-ec4 ed0-ed9 edc-edf f00-f17 f1a-f34 f3a-f3d f40-f47 f49-f6c f88-f8c "
    "fbe-fc5 fc7-fcc fce-fda 1000-102a 103f-1055 105a-105d 1075-1081 1090-1099 10a0-10c5 "
    "10d0-1248 1260-1288 1290-12b0 12c8-12d6 12d8-1310 1318-135a 1360-137c 1380-1399 13a0-13f5 "
    "1400-167f 1681-169c 16a0-16f8 1700-1711 171f-1731 1740-1751 1760-176c 1780-17b3 1e00-1f15 "
    "1f18-1f1d 1f20-1f45 1f48-1f4d 1f50-1f57 1f5f-1f7d 1f80-1fb4 1fb6-1fc4 1fc6-1fd3 1fd6-1fdb "
    "1fdd-1fef 1ff6-1ffe 2010-2027 2030-205e 2074-208e 2090-209c 20a0-20c0 2100-218b 2190-2426 "
    "2460-2b73 2b76-2b95 2b97-2bff 2c60-2cee 2cf9-2d25 2d30-2d67 2d80-2d96 2da0-2da6 2da8-2dae "
    "2db0-2db6 2db8-2dbe 2dc0-2dc6 2dc8-2dce 2dd0-2dd6 2dd8-2dde 3001-3029 3030-303f 3041-3096 "
    "309b-30ff 3105-312f 3131-318e 3190-31e3 31f0-321e 3220-9fa5 a000-a48c a490-a4c6 a4d0-a62b "
    "a640-a66e a67e-a69d a6a0-a6ef a700-a7ca a7f2-a801 a80c-a822 a840-a877 a882-a8b3 a8ce-a8d9 "
    "a8f2-a8fe a900-a925 a92e-a946 a95f-a97c a984-a9b2 a9c1-a9cd a9e6-a9fe aa00-aa28 aa5c-aa7a "
    "aa7e-aaaf aadb-aaea ab30-ab6b ab70-abe2 ac00-d7a3 f900-fa6d fa70-fad9 fb1f-fb36 fb46-fbc2 "
    "fbd3-fd8f fd92-fdc7 fe30-fe52 fe76-fefc ff01-ffbe"
)
LETTERS = (
    "30-39 41-5a 61-7a aa b5 ba c0-d6 d8-f6 f8-2c1 2c6-2d1 38e-3a1 3a3-3f5 3f7-481 48a-52f "
    "531-556 560-588 5d0-5ea 620-64a 660-669 671-6d3 6ee-6fc 712-72f 74d-7a5 7c0-7ea 800-815 "
    "840-858 860-86a 870-887 889-88e 8a0-8c9 904-939 958-961 966-96f 971-980 985-98c 993-9a8 "
    "9aa-9b0 9b6-9b9 9e6-9f1 a05-a0a a13-a28 a2a-a30 a59-a5c a66-a6f a85-a8d a93-aa8 aaa-ab0 "
    "ab5-ab9 ae6-aef b05-b0c b13-b28 b2a-b30 b35-b39 b66-b6f b85-b8a b92-b95 bae-bb9 be6-bef "
    "c05-c0c c12-c28 c2a-c39 c66-c6f c85-c8c c92-ca8 caa-cb3 cb5-cb9 ce6-cef d04-d0c d12-d3a "
    "d66-d6f d7a-d7f d85-d96 d9a-db1 db3-dbb dc0-dc6 de6-def e01-e30 e40-e46 e50-e59 e86-e8a "
    "e8c-ea3 ea7-eb0 ec0-ec4 ed0-ed9 edc-edf f20-f29 f40-f47 f49-f6c f88-f8c 1000-102a "
    "103f-1049 1050-1055 105a-105d 1075-1081 1090-1099 10a0-10c5 10d0-10fa 10fc-1248 1260-1288 "
    "1290-12b0 12c8-12d6 12d8-1310 1318-135a 1380-138f 13a0-13f5 1401-166c 166f-167f 1681-169a "
    "16a0-16ea 1700-1711 171f-1731 1740-1751 1760-176c 1780-17b3 1e00-1f15 1f18-1f1d 1f20-1f45 "
    "1f48-1f4d 1f50-1f57 1f5f-1f7d 1f80-1fb4 1fb6-1fbc 1fc6-1fcc 1fd6-1fdb 1fe0-1fec 1ff6-1ffc "
    "2c60-2ce4 2d00-2d25 2d30-2d67 2d80-2d96 2da0-2da6 2da8-2dae 2db0-2db6 2db8-2dbe 2dc0-2dc6 "
    "2dc8-2dce 2dd0-2dd6 2dd8-2dde 3041-3096 30a1-30fa 3105-312f 3131-318e 31a0-31bf 31f0-31ff "
    "3400-4dbf 4e00-9fa5 a000-a48c a4d0-a4fd a500-a60c a610-a62b a640-a66e a67f-a69d a6a0-a6e5 "
    "a722-a788 a78b-a7ca a7f2-a801 a80c-a822 a840-a873 a882-a8b3 a900-a925 a930-a946 a960-a97c "
    "a984-a9b2 a9e6-a9fe aa00-aa28 aa60-aa76 aa7e-aaaf ab30-ab5a ab5c-ab69 ab70-abe2 ac00-d7a3 "
    "f900-fa6d fa70-fad9 fb46-fbb1 fbd3-fd3d fd50-fd8f fd92-fdc7 fe76-fefc ff21-ff3a ff41-ff5a "
    "ff66-ffbe"
)
# Characters of names: letters, digits, blanks, punctuation, accents, vowel marks and currency
# signs.
OF_NAMES = (
    "20-3b 3f-5a 5e-7a 7c a0-a5 a7-a8 aa-ab af-b0 b2-d6 d8-f6 f8-377 37a-37f 384-38a 38e-3a1 "
    "3a3-3f5 3f7-481 483-52f 531-556 559-58a 591-5c7 5d0-5ea 5ef-5f4 609-60d 610-61b 61d-6dc "
    "6df-6e8 6ea-6fc 6ff-70d 710-74a 74d-7b1 7c0-7f5 7f7-7fa 7fd-82d 830-83e 840-85b 860-86a "
    "870-88e 898-8e1 8e3-983 985-98c 98f-990 993-9a8 9aa-9b0 9b2 9b6-9b9 9bc-9c4 9c7-9c8 "
    "9cb-9ce 9d7 9dc-9dd 9df-9e3 9e6-9f9 9fb-9fe a01-a03 a05-a0a a0f-a10 a13-a28 a2a-a30 "
    "a32-a33 a35-a36 a38-a39 a3c a3e-a42 a47-a48 a4b-a4d a51 a59-a5c a5e a66-a76 a81-a83 "
    "a85-a8d a8f-a91 a93-aa8 aaa-ab0 ab2-ab3 ab5-ab9 abc-ac5 ac7-ac9 acb-acd ad0 ae0-ae3 "
    "ae6-af1 af9-aff b01-b03 b05-b0c b0f-b10 b13-b28 b2a-b30 b32-b33 b35-b39 b3c-b44 b47-b48 "
    "b4b-b4d b55-b57 b5c-b5d b5f-b63 b66-b6f b71-b77 b82-b83 b85-b8a b8e-b90 b92-b95 b99-b9a "
    "b9c b9e-b9f ba3-ba4 ba8-baa bae-bb9 bbe-bc2 bc6-bc8 bca-bcd bd0 bd7 be6-bf2 bf9 c00-c0c "
    "c0e-c10 c12-c28 c2a-c39 c3c-c44 c46-c48 c4a-c4d c55-c56 c58-c5a c5d c60-c63 c66-c6f "
    "c77-c7e c80-c8c c8e-c90 c92-ca8 caa-cb3 cb5-cb9 cbc-cc4 cc6-cc8 cca-ccd cd5-cd6 cdd-cde "
    "ce0-ce3 ce6-cef cf1-cf2 d00-d0c d0e-d10 d12-d44 d46-d48 d4a-d4e d54-d63 d66-d78 d7a-d7f "
    "d81-d83 d85-d96 d9a-db1 db3-dbb dbd dc0-dc6 dca dcf-dd4 dd6 dd8-ddf de6-def df2-df4 "
    "e01-e3a e3f-e5b e81-e82 e84 e86-e8a e8c-ea3 ea5 ea7-ebd ec0-ec4 ec6 ec8-ecd ed0-ed9 "
    "edc-edf f00 f04-f12 f14 f18-f19 f20-f33 f35 f37 f39-f47 f49-f6c f71-f97 f99-fbc fc6 "
    "fd0-fd4 fd9-fda 1000-109d 10a0-10c5 10d0-1248 1250-1256 1260-1288 1290-12b0 12b8-12be "
    "12c8-12d6 12d8-1310 1318-135a 135d-137c 1380-138f 13a0-13f5 13f8-13fd 1400-166c 166e-169c "
    "16a0-16f8 1700-1715 171f-1736 1740-1753 1760-176c 1780-17dd 17e0-17e9 17f0-17f9 1e00-1f15 "
    "1f18-1f1d 1f20-1f45 1f48-1f4d 1f50-1f57 1f5f-1f7d 1f80-1fb4 1fb6-1fc4 1fc6-1fd3 1fd6-1fdb "
    "1fdd-1fef 1ff6-1ffe 2010-2027 202f-2043 2045-2051 2053-205e 20a0-20bf 2c60-2ce4 2ceb-2cf3 "
    "2cf9-2d25 2d30-2d67 2d7f-2d96 2da0-2da6 2da8-2dae 2db0-2db6 2db8-2dbe 2dc0-2dc6 2dc8-2dce "
    "2dd0-2dd6 2dd8-2dde 3000-3003 3005-3011 3014-301f 3021-3035 3038-303d 3041-3096 3099-30ff "
    "3105-312f 3131-318e 3192-3195 31a0-31bf 31f0-31ff 3220-3229 3248-324f 3251-325f 3280-3289 "
    "32b1-32bf 3400-4dbf 4e00-9fa5 a000-a48c a4d0-a62b a640-a6f7 a700-a7ca a7f2-a827 a840-a877 "
    "a880-a8c5 a8ce-a8d9 a8e0-a953 a95f-a97c a980-a9cd a9de-a9fe aa00-aa36 aa40-aa4d aa5c-aa76 "
    "aa7a-aac2 aadb-aaf6 ab30-ab6b ab70-abed ac00-d7a3 f900-fa6d fa70-fad9 fb46-fbc2 fbd3-fd3f "
    "fd50-fd8f fd92-fdc7 fe00-fe19 fe20-fe52 fe76-fefc ff1f-ff5b ff5f-ffbe"
)
# Characters that a single line must not have, and those that prose must not have.
_OUTSIDE_PROSE = (
    "0-9 b-1f 7f-9f ad 600-605 61c 6dd 70f 890-891 8e2 180e 200b 200e-200f 2028-202e 2060-206f "
    "d800-dfff feff fff9-fffb"
)
_OUTSIDE_LINES = f"a {_OUTSIDE_PROSE}"
_LAST = 0xFFFF


def _class(ranges: str) -> str:
    """Return ranges in the form that they have within the brackets of a pattern."""
    return "".join("-".join(_point(end) for end in each.split("-")) for each in ranges.split())


def _all_but(ranges: str) -> str:
    """Return all other ranges below 2^16; some regex dialects count in UTF-16 and know no more."""
    excluded = sorted(
        (int(first, 16), int(last or first, 16))
        for first, _, last in (each.partition("-") for each in ranges.split())
    )
    ends = [(-1, -1), *excluded, (_LAST + 1, _LAST + 1)]
    return " ".join(
        f"{before + 1:x}-{after - 1:x}"
        for (_, before), (after, _) in pairwise(ends)
        if before + 1 < after
    )


def _point(digits: str) -> str:
    return f"\\u{digits:0>4}"


def line(length_max: int = TEXT_LENGTH_MAX) -> Keywords:
    """Return the schema of text that `check_text` accepts."""
    return schema_reference("Line", minLength=1, maxLength=length_max)


def prose(length_max: int) -> Keywords:
    """Return the schema of text that `check_prose` accepts."""
    return schema_reference("Prose", minLength=1, maxLength=length_max)


NAME = schema_reference("Name", minLength=1, maxLength=TEXT_LENGTH_MAX)
# The schema itself is in `addresses.schemas`, with the existing countries.
COUNTRY = schema_reference("Country")
_LABEL = "[A-Za-z0-9]{1,20}(-[A-Za-z0-9]{1,20}){0,2}"
EMAIL = pattern_schema(
    "^[A-Za-z0-9]{1,20}([._+-][A-Za-z0-9]{1,20}){0,2}@"
    rf"({_LABEL}\.){{1,3}}(?!(arpa|invalid|local|localhost|onion)$)[A-Za-z]{{2,20}}$",
    format="email",
    maxLength=EMAIL_LENGTH_MAX,
)
PHONE = pattern_schema("^[+][1-9][0-9]{6,14}$")
_OCTET = "(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
IP = pattern_schema(f"^{_OCTET}([.]{_OCTET}){{3}}$", format="ipv4")
URL = pattern_schema(
    r"^https?://[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?(:[1-9][0-9]{0,3})?"
    r"([/?#][!#$%&'()*+,./0-9:;=?@A-Z_a-z~-]*)?$",
    format="uri",
    maxLength=URL_LENGTH_MAX,
)
# Allowed webhook URLs; loopback is only allowed in sandboxes.
DESTINATION = pattern_schema(
    rf"^https://({_LABEL}\.){{1,3}}"
    r"(?!(arpa|corp|home|internal|intranet|lan|local|localdomain|localhost)([:/?]|$))"
    r"[A-Za-z]{2,20}(:(443|8443))?([/?][!$%&'()*+,./0-9:;=?@A-Z_a-z~-]*)?$",
    format="uri",
    maxLength=URL_LENGTH_MAX,
)
# Address on a chain. The chain is in another field, and determines which form is valid.
ADDRESS = pattern_schema("^(0x[0-9a-fA-F]{40}|[1-9A-HJ-NP-Za-km-z]{32,44})$")

LineText: TypeAlias = Annotated[str, with_schema(line())]
OptionalLine: TypeAlias = Annotated[str, with_schema(or_empty(line()))]
NameText: TypeAlias = Annotated[str, with_schema(NAME)]
CountryText: TypeAlias = Annotated[str, with_schema(COUNTRY)]
EmailText: TypeAlias = Annotated[str, with_schema(EMAIL)]
PhoneText: TypeAlias = Annotated[str, with_schema(PHONE)]
IpText: TypeAlias = Annotated[str, with_schema(IP)]
UrlText: TypeAlias = Annotated[str, with_schema(URL)]
AddressText: TypeAlias = Annotated[str, with_schema(ADDRESS)]


def schemas() -> Mapping[str, Keywords]:
    """Return the OpenAPI schemas that the types of this module refer to."""
    visible, letters = _class(VISIBLE), _class(LETTERS)
    of_lines, of_prose = _class(_all_but(_OUTSIDE_LINES)), _class(_all_but(_OUTSIDE_PROSE))
    return {
        "Line": {
            "description": "One line with a visible character, and without characters that "
            "control or are invisible.",
            **pattern_schema(f"^(?=.*[{visible}])[{of_lines}]+$"),
        },
        "Prose": {
            "description": "One line or several, with a visible character, and without "
            "characters that control or are invisible.",
            **pattern_schema(f"^(?=(.|\\n)*[{visible}])[{of_prose}]+$"),
        },
        "Name": {
            "description": "A name, with a letter or a digit, in any script.",
            **pattern_schema(f"^(?=.*[{letters}])[{_class(OF_NAMES)}]+$"),
        },
    }
