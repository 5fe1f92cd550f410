"""The entries of a list, arranged so that a name finds those that are like it.

How a score comes about, all of it:

1. Both names are taken apart into words (`names.readings`); the order of words does not count.
2. Each word of the shorter name is paired with a word of the longer one. A pair is worth 1 if they
   are equal; 0.95 if they sound the same (`names.sound`), 0.9 if their consonants do and most of
   the rest; 1 - 1/(length + 2) if one letter is wrong, missing, added or swapped with the next one;
   0.8 if one is the initial of the other; else nothing. Words of fewer than four letters have to
   be equal.
3. The worths are averaged, longer words counting more. For each word that the longer name has
   beyond that, 3 % go off, 12 % at most. A name of one word is like another of one word only, and
   nothing is like a person whose family name has no part in it: Mohammed Hussein is not like
   AL-QASSIRI, Mohammed Hussein.
4. Names may be split into words elsewhere (Gholam Reza, Gholamreza), so they are compared without
   blanks as well: 1 - (wrong letters / letters), if that is 0.9 or more.
5. If both birth dates are known and the years are more than two apart, 2 points go off for each
   further year, 30 at most. A birth date never adds anything.

The best name of an entry is its score. Cost: each list takes some 50 MB and a second to arrange;
a name takes some milliseconds.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rapidfuzz import process
from rapidfuzz.distance import OSA, Levenshtein

from landbridge.screening.model import Entry, Hit, Subject
from landbridge.screening.names import readings, skeleton, sound

# Pairs of words, as the text above says.
_SAME_SOUND, _LIKE_SOUND = 0.95, 0.9
_SOUND_MIN = 0.75
_INITIAL = 0.8
_LETTERS_MIN = 4
_WEIGHT_MIN, _WEIGHT_MAX = 3, 8
_INITIAL_WEIGHT = 2
# An initial says little; the rest of the name has to be about right.
_BESIDE_INITIAL_MIN = 0.85

_EXTRA_WORD, _EXTRA_WORDS_MAX = 0.03, 4
_WHOLE_MIN = 0.9
# As many letters at the beginning or at the end have to be right for that.
_WHOLE_LETTERS = 4

_YEARS_APART = 2
_POINTS_PER_YEAR, _POINTS_MAX = 2, 30
_YEAR = re.compile(r"\b(1[89]\d\d|20\d\d)\b")
_RANGE = re.compile(r"\b(1[89]\d\d|20\d\d) to (1[89]\d\d|20\d\d)\b")

# More than a person would look at; the best ones come first.
_HITS_MAX = 20


@dataclass(frozen=True, slots=True)
class _Name:
    """One of the names of an entry."""

    entry: Entry
    text: str
    words: tuple[str, ...]
    # Those of a person's family name, if the list tells which: "LAST, First".
    family: frozenset[str]
    whole: str


class Index:
    """Names of some types of entries."""

    def __init__(self, entries: Iterable[Entry], *, is_business: bool) -> None:
        self._names: list[_Name] = []
        # Which names have a word, and the words by what may be left of them when one letter is
        # wrong: a wrong letter spares the beginning or the end, and a swap spares the letters.
        self._with_word: dict[str, list[int]] = {}
        self._beginning: dict[str, list[str]] = defaultdict(list)
        self._ending: dict[str, list[str]] = defaultdict(list)
        self._lettered: dict[str, list[str]] = defaultdict(list)
        self._sounding: dict[str, list[str]] = defaultdict(list)
        # Names without their blanks, by their beginnings and endings.
        self._wholes: dict[str, list[int]] = defaultdict(list)
        for entry in entries:
            for text in entry.names:
                family = frozenset[str]() if is_business else _family(text)
                for words in readings(text, is_business=is_business):
                    self._add(_Name(entry, text, words, family & {*words}, "".join(words)))
        for word in self._with_word:
            self._add_word(word)

    def _add(self, name: _Name) -> None:
        place = len(self._names)
        self._names.append(name)
        for word in set(name.words):
            self._with_word.setdefault(word, []).append(place)
        for key in _ends(name.whole):
            self._wholes[key].append(place)

    def _add_word(self, word: str) -> None:
        if len(word) >= _LETTERS_MIN:
            self._beginning[word[:2]].append(word)
            self._ending[word[-2:]].append(word)
            self._lettered["".join(sorted(word))].append(word)
        if sounds := skeleton(word):
            self._sounding[sounds].append(word)

    def find(self, subject: Subject, *, score_min: int) -> list[Hit]:
        """Entries that are like a subject, the best first, at most twenty."""
        scores: dict[int, float] = {}
        for words in readings(subject.name, is_business=subject.type == "business"):
            worths = {word: self._alike(word) for word in set(words)}
            for place in self._candidates(words, worths):
                score = _score(words, worths, self._names[place])
                scores[place] = max(score, scores.get(place, 0))
            for place, score in self._as_wholes("".join(words)):
                scores[place] = max(score, scores.get(place, 0))
        best: dict[str, Hit] = {}
        for place, score in scores.items():
            name = self._names[place]
            points = int(score * 100 + 1e-6) - _points_off(subject, name.entry)
            known = best.get(name.entry.id)
            if points >= score_min and (known is None or points > known.score):
                best[name.entry.id] = Hit(
                    asked=subject.name,
                    listed_name=name.text,
                    entry_id=name.entry.id,
                    program=", ".join(name.entry.programs),
                    score=points,
                )
        return sorted(best.values(), key=lambda hit: (-hit.score, hit.entry_id))[:_HITS_MAX]

    def _alike(self, word: str) -> dict[str, float]:
        """Listed words that are like this one, and how much."""
        found: dict[str, float] = {}
        sounds = skeleton(word)
        for other in self._sounding.get(sounds, ()) if sounds else ():
            likeness = OSA.normalized_similarity(sound(word), sound(other))
            if likeness >= _SOUND_MIN:
                found[other] = _SAME_SOUND if likeness == 1 else _LIKE_SOUND
        if len(word) >= _LETTERS_MIN:
            near = {
                *self._beginning.get(word[:2], ()),
                *self._ending.get(word[-2:], ()),
                *self._lettered.get("".join(sorted(word)), ()),
            }
            matches = process.extract(
                word, list(near), scorer=OSA.distance, score_cutoff=1, limit=None
            )
            for other, _, _ in matches:
                worth = 1 - 1 / (max(len(word), len(other)) + 2)
                found[other] = max(worth, found.get(other, 0))
        if word in self._with_word:
            found[word] = 1.0
        return found

    def _candidates(
        self, words: Sequence[str], worths: dict[str, dict[str, float]]
    ) -> Iterable[int]:
        """Names that have enough of these words to be worth a closer look."""
        counts: dict[int, int] = defaultdict(int)
        for word in dict.fromkeys(words):
            places: set[int] = set()
            for other in worths[word]:
                places.update(self._with_word[other])
            for place in places:
                counts[place] += 1
        is_enough = len(words) == 1 or _has_initial(words)
        for place, count in counts.items():
            listed = self._names[place].words
            if (len(words) == 1) != (len(listed) == 1):
                continue
            if is_enough or count > 1 or _has_initial(listed):
                yield place

    def _as_wholes(self, whole: str) -> Iterable[tuple[int, float]]:
        """Names whose letters are about the same, wherever the blanks are."""
        places = list({place for key in _ends(whole) for place in self._wholes.get(key, ())})
        matches = process.extract(
            whole,
            [self._names[place].whole for place in places],
            scorer=Levenshtein.normalized_similarity,
            score_cutoff=_WHOLE_MIN,
            limit=None,
        )
        for _, score, at in matches:
            yield places[at], score


def _family(text: str) -> frozenset[str]:
    last, comma, _ = text.partition(",")
    found = readings(last, is_business=False) if comma else []
    return frozenset(word for words in found for word in words)


def _ends(whole: str) -> tuple[str, ...]:
    """Under what a name without blanks is found; nothing for a very short one."""
    if len(whole) < 2 * _WHOLE_LETTERS:
        return ()
    return f"{whole[:_WHOLE_LETTERS]}-", f"-{whole[-_WHOLE_LETTERS:]}"


def _score(words: Sequence[str], worths: dict[str, dict[str, float]], name: _Name) -> float:
    """How much two names are alike, from 0 to 1."""
    listed = name.words
    pairs = sorted(
        (
            (worth, asked_at, listed_at)
            for asked_at, word in enumerate(words)
            for listed_at, other in enumerate(listed)
            if (worth := worths[word].get(other) or _initial_worth(word, other))
        ),
        reverse=True,
    )
    shorter = words if len(words) <= len(listed) else listed
    open_asked, open_listed = set(range(len(words))), set(range(len(listed)))
    gained, weights, has_word, has_family = 0.0, 0, False, not name.family
    for worth, asked_at, listed_at in pairs:
        if asked_at in open_asked and listed_at in open_listed:
            open_asked.remove(asked_at)
            open_listed.remove(listed_at)
            weight = min(_weight(words[asked_at]), _weight(listed[listed_at]))
            gained += worth * weight
            weights += weight
            has_word = has_word or (weight >= _WEIGHT_MIN and worth >= _BESIDE_INITIAL_MIN)
            has_family = has_family or listed[listed_at] in name.family
    missed = open_asked if shorter is words else open_listed
    weights += sum(_weight(shorter[at]) for at in missed)
    extra = min(abs(len(words) - len(listed)), _EXTRA_WORDS_MAX)
    return gained / weights * (1 - _EXTRA_WORD * extra) if has_word and has_family else 0.0


def _has_initial(words: Sequence[str]) -> bool:
    return any(len(word) == 1 for word in words)


def _initial_worth(word: str, other: str) -> float:
    is_initial = (len(word) == 1) != (len(other) == 1)
    return _INITIAL if is_initial and word[0] == other[0] else 0.0


def _weight(word: str) -> int:
    """What a word counts for: its letters, within bounds; an initial counts for two."""
    return _INITIAL_WEIGHT if len(word) == 1 else max(_WEIGHT_MIN, min(_WEIGHT_MAX, len(word)))


def _points_off(subject: Subject, entry: Entry) -> int:
    """What a birth year takes away that is not near any of those that are listed."""
    years = [year for each in entry.birth_dates for year in _years(each)]
    if subject.born is None or not years:
        return 0
    apart = min(abs(subject.born.year - year) for year in years)
    return min(_POINTS_MAX, _POINTS_PER_YEAR * max(0, apart - _YEARS_APART))


def _years(text: str) -> Iterable[int]:
    """The years of a birth date as it is published; a range is all of its years."""
    for begin, end in _RANGE.findall(text):
        yield from range(int(begin), int(end) + 1)
    for year in _YEAR.findall(text):
        yield int(year)
