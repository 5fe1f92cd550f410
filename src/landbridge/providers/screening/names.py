"""Name normalization: makes spellings of one name comparable.

`readings` removes variations in spelling (marks, case, punctuation, particles, legal forms),
`sound` those of transliteration, and `skeleton` keeps only the consonants of the result: Mohammed,
Muhammad and Mohamed all become `mhmt`. Only Latin letters can be compared; other scripts are not
transliterated.
"""

import re
import unicodedata
from functools import lru_cache

from landbridge.platform.formats.texts import BLANK_LETTERS

# Letters that NFKD does not decompose.
_LETTERS = str.maketrans(
    {
        "æ": "ae",
        "œ": "oe",
        "ø": "o",
        "đ": "d",
        "ð": "d",
        "þ": "th",
        "ł": "l",
        "ħ": "h",
        "ı": "i",  # noqa: RUF001  Turkish
        "ŋ": "n",
        "ə": "a",
        "ß": "ss",
    }
)
# Apostrophes and signs for the Arabic hamza and ain: O'Brien is obrien, Sa'd is saad.
_APOSTROPHES = re.compile("['`´’‘ʼʻʿʾ]")  # noqa: RUF001  these are the characters meant
_NOT_WORD = re.compile(r"[\W_]+")
# Categories of marks and invisible characters: joiners and variation selectors.
_MARKS = frozenset({"Mn", "Me", "Cf"})

# Matches more initials in a row than any real name has.
_SPELLED_OUT = re.compile(r"(?:\b\w ){3}\w\b")

# Particles that are ignored: a name may be written with or without them.
_OPTIONAL = (
    "al el ul bin ibn ben bint de del la las los da do dos di du von van der den ter y e the of and"
    " mr mrs ms dr"
)
# Legal forms, which may be written in full, abbreviated, with dots, or left out.
_LEGAL = (
    "ltd limited llc inc incorporated corp corporation co company plc llp lp sa sas sarl srl sl slu"
    " spa sca ag gmbh kg mbh bv nv ab as asa aps oy oyj ooo oao zao pao ao jsc pjsc ojsc cjsc doo"
    " ead ad eood ood kft zrt sro sp zoo pte pty pvt private sdn bhd berhad tbk pt cv rl fze fzco"
    " fzc fz wll est kk ltda eirl sab sapi anonim sirketi"
)
_PARTICLES, _LEGAL_FORMS = frozenset(_OPTIONAL.split()), frozenset(_LEGAL.split())
_LEGAL_LETTERS_MAX = 4

# Spellings of one name: Abd al-Rahman, Abdul Rahman, Abdurrahman.
_ABD = re.compile(r"\babd(?:[aeou]l|\s+[aeu]l|[aeou](?=([b-z])\1)|)\s*(?=[a-z])")
_ABU = {"abou": "abu", "abo": "abu", "ebu": "abu"}

_VOWELS = frozenset("aeiouyjw")
# Spellings of one sound, replaced in this order. Capital letters are the resulting sounds.
_SOUNDS = (
    *(("tsch", "C"), ("tch", "C"), ("sch", "S"), ("dzh", "j"), ("ch", "C"), ("cz", "C")),
    *(("sh", "S"), ("sz", "S"), ("zh", "j"), ("dj", "j"), ("kh", "h"), ("gh", "k"), ("ph", "f")),
    *(("th", "t"), ("dh", "t"), ("ck", "k"), ("ks", "x"), ("ts", "z"), ("tz", "z"), ("qu", "k")),
    *(("q", "k"), ("g", "k"), ("c", "k"), ("d", "t"), ("v", "f"), ("ou", "u"), ("oo", "u")),
    *(("y", "i"), ("e", "i"), ("o", "u")),
)
# In Polish and German spelling, w is v; before a vowel it may also be a u.
_HARD_W = re.compile(r"w(?![aeiouy])")
_REPEATED = re.compile(r"(.)\1+")
_CONSONANTS_MIN = 3


def readings(name: str, *, is_business: bool) -> list[tuple[str, ...]]:
    """Return the words of a name, split in one or two ways.

    The second way joins a word that begins with Abd to its successor.
    """
    folded_name = fold(name)
    first = compared_words(folded_name, is_business=is_business)
    joined = compared_words(_ABD.sub("abd", folded_name), is_business=is_business)
    return [each for each in dict.fromkeys((first, joined)) if each]


def compared_words(name: str, *, is_business: bool) -> tuple[str, ...]:
    """Return the words of a folded name that are compared; a business loses its legal form.

    If nothing else remains, all words are kept.
    """
    words = [_ABU.get(word, word) for word in name.split()]
    selected = _without_legal_forms(words) if is_business else words
    selected = [word for word in selected if word not in _PARTICLES]
    return tuple(selected or words)


def fold(name: str) -> str:
    """Return a text in lower case without marks; one blank replaces all but letters and digits.

    Invisible characters are removed: a name with one in a word looks like the name without it.
    """
    decomposed = unicodedata.normalize("NFKD", _APOSTROPHES.sub("", name).casefold())
    plain = "".join(each for each in decomposed if not _is_mark(each))
    return _NOT_WORD.sub(" ", plain.translate(_LETTERS)).strip()


def is_readable(name: str) -> bool:
    """Return whether a name can be compared with a list in Latin letters.

    False for another script, for a name without letters, and for one spelled letter by letter: such
    names could evade a list.
    """
    folded_name = fold(name)
    letters = [each for each in folded_name if each.isalpha()]
    is_latin = bool(letters) and all(each.isascii() for each in letters)
    return is_latin and _SPELLED_OUT.search(folded_name) is None


def _is_mark(character: str) -> bool:
    is_mark = unicodedata.category(character) in _MARKS or unicodedata.combining(character) != 0
    return is_mark or character in BLANK_LETTERS


@lru_cache(maxsize=200_000)
def sound(word: str) -> str:
    """Return a phonetic key of a word, only for comparison with other keys."""
    sounds = _HARD_W.sub("f", word)
    for spelling, spoken in _SOUNDS:
        sounds = sounds.replace(spelling, spoken)
    return _REPEATED.sub(r"\1", sounds)


def skeleton(word: str) -> str:
    """Return the phonetic consonants of a word, after `a` for a leading vowel.

    '' for a word with fewer than three, which would match too many others.
    """
    sounds = sound(word)
    consonants = "".join(each for each in sounds if each not in _VOWELS)
    found = ("a" if sounds[:1] in _VOWELS else "") + _REPEATED.sub(r"\1", consonants)
    return found if len(found) >= _CONSONANTS_MIN else ""


def _without_legal_forms(words: list[str]) -> list[str]:
    selected: list[str] = []
    letters: list[str] = []
    for word in [*words, ""]:
        if len(word) == 1 and len(letters) < _LEGAL_LETTERS_MAX:
            letters.append(word)
            continue
        # Joins the letters of spelled-out legal forms: `l l c` of L.L.C., `s a` of S.A.
        selected += [] if "".join(letters) in _LEGAL_FORMS else letters
        letters = []
        if word and word not in _LEGAL_FORMS:
            selected.append(word)
    return selected
