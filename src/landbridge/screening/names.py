"""Names made comparable: what two spellings of one name have in common.

`readings` takes away what spelling adds (marks, case, punctuation, particles, legal forms), `sound`
what a transliteration chooses, and `skeleton` leaves the consonants of that: Mohammed, Muhammad and
Mohamed are all `mhmt`. Only Latin letters can be compared; nothing here transliterates another
script.
"""

import re
import unicodedata
from functools import lru_cache

# Letters that NFKD leaves whole.
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
# Apostrophes and what stands for the Arabic hamza and ain: O'Brien is obrien, Sa'd is saad.
_APOSTROPHES = re.compile("['`´’‘ʼʻʿʾ]")  # noqa: RUF001  these are the characters meant
_NOT_WORD = re.compile(r"[\W_]+")

# More initials than anybody has.
_SPELLED_OUT = re.compile(r"(?:\b\w ){3}\w\b")

# Written or left out at will.
_LEFT_OUT = (
    "al el ul bin ibn ben bint de del la las los da do dos di du von van der den ter y e the of and"
    " mr mrs ms dr"
)
# Written in full, in short or not at all; with dots between letters, too.
_LEGAL = (
    "ltd limited llc inc incorporated corp corporation co company plc llp lp sa sas sarl srl sl slu"
    " spa sca ag gmbh kg mbh bv nv ab as asa aps oy oyj ooo oao zao pao ao jsc pjsc ojsc cjsc doo"
    " ead ad eood ood kft zrt sro sp zoo pte pty pvt private sdn bhd berhad tbk pt cv rl fze fzco"
    " fzc fz wll est kk ltda eirl sab sapi anonim sirketi"
)
_PARTICLES, _LEGAL_FORMS = frozenset(_LEFT_OUT.split()), frozenset(_LEGAL.split())
_LEGAL_LETTERS_MAX = 4

# One name in many pieces: Abd al-Rahman, Abdul Rahman, Abdurrahman.
_ABD = re.compile(r"\babd(?:[aeou]l|\s+[aeu]l|[aeou](?=([b-z])\1)|)\s*(?=[a-z])")
_ABU = {"abou": "abu", "abo": "abu", "ebu": "abu"}

_VOWELS = frozenset("aeiouyjw")
# In this order: what two spellings may write for one sound. What sounds else is in capitals.
_SOUNDS = (
    *(("tsch", "C"), ("tch", "C"), ("sch", "S"), ("dzh", "j"), ("ch", "C"), ("cz", "C")),
    *(("sh", "S"), ("sz", "S"), ("zh", "j"), ("dj", "j"), ("kh", "h"), ("gh", "k"), ("ph", "f")),
    *(("th", "t"), ("dh", "t"), ("ck", "k"), ("ks", "x"), ("ts", "z"), ("tz", "z"), ("qu", "k")),
    *(("q", "k"), ("g", "k"), ("c", "k"), ("d", "t"), ("v", "f"), ("ou", "u"), ("oo", "u")),
    *(("y", "i"), ("e", "i"), ("o", "u")),
)
# As the Poles and the Germans write a v; before a vowel it may as well be a u.
_HARD_W = re.compile(r"w(?![aeiouy])")
_TWICE = re.compile(r"(.)\1+")
_CONSONANTS_MIN = 3


def readings(name: str, *, is_business: bool) -> list[tuple[str, ...]]:
    """The words of a name in the one or two ways in which it can be taken apart.

    The second way joins what begins with Abd.
    """
    told = folded(name)
    first = words_of(told, is_business=is_business)
    joined = words_of(_ABD.sub("abd", told), is_business=is_business)
    return [each for each in dict.fromkeys((first, joined)) if each]


def words_of(told: str, *, is_business: bool) -> tuple[str, ...]:
    """The words of a folded name that are compared; legal forms go if it is a business.

    If nothing else is left, all words stay.
    """
    words = [_ABU.get(word, word) for word in told.split()]
    kept = _without_legal_forms(words) if is_business else words
    kept = [word for word in kept if word not in _PARTICLES]
    return tuple(kept or words)


def folded(name: str) -> str:
    """Lower case, without marks, with one blank for whatever is neither letter nor digit."""
    decomposed = unicodedata.normalize("NFKD", _APOSTROPHES.sub("", name).casefold())
    plain = "".join(each for each in decomposed if not unicodedata.combining(each))
    return _NOT_WORD.sub(" ", plain.translate(_LETTERS)).strip()


def is_readable(name: str) -> bool:
    """Whether a name can be compared with a list in Latin letters.

    Not one in another script, one without letters, or one that is spelled out letter by letter:
    those are how somebody would get past a list.
    """
    told = folded(name)
    letters = [each for each in told if each.isalpha()]
    is_latin = bool(letters) and all(each.isascii() for each in letters)
    return is_latin and _SPELLED_OUT.search(told) is None


@lru_cache(maxsize=200_000)
def sound(word: str) -> str:
    """A word about as it sounds; for comparing with another of these, not for reading."""
    sounds = _HARD_W.sub("f", word)
    for written, spoken in _SOUNDS:
        sounds = sounds.replace(written, spoken)
    return _TWICE.sub(r"\1", sounds)


def skeleton(word: str) -> str:
    """The consonants of a word as they sound, after `a` for a vowel at its beginning.

    '' for a word with fewer than three, which would be like too many others.
    """
    sounds = sound(word)
    consonants = "".join(each for each in sounds if each not in _VOWELS)
    found = ("a" if sounds[:1] in _VOWELS else "") + _TWICE.sub(r"\1", consonants)
    return found if len(found) >= _CONSONANTS_MIN else ""


def _without_legal_forms(words: list[str]) -> list[str]:
    kept: list[str] = []
    letters: list[str] = []
    for word in [*words, ""]:
        if len(word) == 1 and len(letters) < _LEGAL_LETTERS_MAX:
            letters.append(word)
            continue
        # `l l c` of L.L.C., `s a` of S.A.
        kept += [] if "".join(letters) in _LEGAL_FORMS else letters
        letters = []
        if word and word not in _LEGAL_FORMS:
            kept.append(word)
    return kept
