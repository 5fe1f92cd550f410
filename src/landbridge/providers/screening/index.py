"""Name index of a list: finds the entries that are similar to a name.

The score, completely:

1. Both names are split into words (`names.readings`); word order does not count.
2. Each word of the shorter name is paired with a word of the longer one. Equal words score 1. Words
   that sound the same (`names.sound`) score 0.95; the same consonants and most of the other letters
   score 0.9. One wrong, missing, added or transposed letter scores 1 - 1/(length + 2). An initial
   of the other word scores 0.8, anything else nothing. Words of fewer than four letters have to be
   equal.
3. The scores are averaged, weighted by word length. Each surplus word of the longer name deducts 3
   %, 12 % at most. A name of one word matches only another name of one word. A match must include a
   person's family name: Mohammed Hussein does not match AL-QASSIRI, Mohammed Hussein.
4. Names may be split into words differently (Gholam Reza, Gholamreza), so they are also compared
   without blanks: 1 - (wrong letters / letters), if that is 0.9 or more.
5. If both birth dates are known and the years are more than two apart, each further year deducts 2
   points, 30 at most. A birth date never adds points.

The best name of an entry is its score. Cost for 100,000 entries with 220,000 names: 190 MB and
twelve seconds to index; a name takes some 20 milliseconds.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from sys import intern

from rapidfuzz import process
from rapidfuzz.distance import OSA, Levenshtein

from landbridge.providers.screening.model import (
    OFAC_SDN,
    SanctionsEntry,
    ScreeningMatch,
    ScreeningSubject,
)
from landbridge.providers.screening.names import readings, skeleton, sound

# Scores of word pairs, as described above.
_SAME_SOUND, _LIKE_SOUND = 0.95, 0.9
_SOUND_MIN = 0.75
_INITIAL = 0.8
_LETTERS_MIN = 4
_WEIGHT_MIN, _WEIGHT_MAX = 3, 8
_INITIAL_WEIGHT = 2
# An initial is weak evidence: the other words of the name must score at least this.
_BESIDE_INITIAL_MIN = 0.85

_EXTRA_WORD, _EXTRA_WORDS_MAX = 0.03, 4
_JOINED_MIN = 0.9
# Leading or trailing letters by which names without blanks are found.
_JOINED_LETTERS = 4

_YEARS_APART = 2
_POINTS_PER_YEAR, _POINTS_MAX = 2, 30
_YEAR = re.compile(r"\b(1[89]\d\d|20\d\d)\b")
_RANGE = re.compile(r"\b(1[89]\d\d|20\d\d) to (1[89]\d\d|20\d\d)\b")

# Maximum hits, best first; a reviewer would not read more.
_HITS_MAX = 20


@dataclass(frozen=True, slots=True)
class _IndexedName:
    """One of the names of an entry."""

    entry: SanctionsEntry
    text: str
    words: tuple[str, ...]
    # Words of a person's family name if the list marks it, as in "LAST, First"; otherwise empty.
    family: tuple[str, ...]

    @property
    def whole(self) -> str:
        """Return the name without blanks; it is not stored, because that would take much memory."""
        return "".join(self.words)


class NameIndex:
    """Index of the names of some entry types."""

    def __init__(
        self,
        entries: Iterable[SanctionsEntry],
        *,
        is_business: bool,
        list_name: str = OFAC_SDN,
    ) -> None:
        self._list_name = list_name
        self._names: list[_IndexedName] = []
        # Names by word, and words by keys that survive one wrong letter: an error keeps the
        # beginning or the end, a transposition keeps the set of letters.
        self._with_word: dict[str, list[int]] = {}
        self._beginning: dict[str, list[str]] = defaultdict(list)
        self._ending: dict[str, list[str]] = defaultdict(list)
        self._lettered: dict[str, list[str]] = defaultdict(list)
        self._sounding: dict[str, list[str]] = defaultdict(list)
        # Names without blanks, by their first and last letters.
        self._wholes: dict[str, list[int]] = defaultdict(list)
        for entry in entries:
            for text in entry.names:
                family = frozenset[str]() if is_business else _family(text)
                for found in readings(text, is_business=is_business):
                    # Words are interned, so that equal words of all names share one string.
                    words = tuple(intern(each) for each in found)
                    marked = tuple(each for each in words if each in family)
                    self._add(_IndexedName(entry, text, words, marked))
        for word in self._with_word:
            self._add_word(word)

    def _add(self, name: _IndexedName) -> None:
        position = len(self._names)
        self._names.append(name)
        for word in set(name.words):
            self._with_word.setdefault(word, []).append(position)
        for key in _end_keys(name.whole):
            self._wholes[key].append(position)

    def _add_word(self, word: str) -> None:
        if len(word) >= _LETTERS_MIN:
            self._beginning[word[:2]].append(word)
            self._ending[word[-2:]].append(word)
            self._lettered["".join(sorted(word))].append(word)
        if sounds := skeleton(word):
            self._sounding[sounds].append(word)

    def find(self, subject: ScreeningSubject, *, score_min: int) -> list[ScreeningMatch]:
        """Return entries similar to a subject, with at least this score, best first."""
        scores: dict[int, float] = {}
        for words in readings(subject.name, is_business=subject.type == "business"):
            word_scores = {word: self._similar_words(word) for word in set(words)}
            for position in self._candidates(words, word_scores):
                score = _score(words, word_scores, self._names[position])
                scores[position] = max(score, scores.get(position, 0))
            for position, score in self._match_joined("".join(words)):
                scores[position] = max(score, scores.get(position, 0))
        best: dict[str, ScreeningMatch] = {}
        for position, score in scores.items():
            name = self._names[position]
            points = int(score * 100 + 1e-6) - _birth_deduction(subject, name.entry)
            known = best.get(name.entry.id)
            if points >= score_min and (known is None or points > known.score):
                best[name.entry.id] = ScreeningMatch(
                    asked=subject.name,
                    listed_name=name.text,
                    entry_id=name.entry.id,
                    program=", ".join(name.entry.programs),
                    score=points,
                    list=self._list_name,
                )
        return sorted(best.values(), key=lambda hit: (-hit.score, hit.entry_id))[:_HITS_MAX]

    def _similar_words(self, word: str) -> dict[str, float]:
        """Return the listed words that are similar to a word, with their scores."""
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
        self, words: Sequence[str], word_scores: dict[str, dict[str, float]]
    ) -> Iterable[int]:
        """Return names that share enough of these words to be compared in full."""
        counts: dict[int, int] = defaultdict(int)
        for word in dict.fromkeys(words):
            positions: set[int] = set()
            for other in word_scores[word]:
                positions.update(self._with_word[other])
            for position in positions:
                counts[position] += 1
        is_enough = len(words) == 1 or _has_initial(words)
        for position, count in counts.items():
            listed = self._names[position].words
            if (len(words) == 1) != (len(listed) == 1):
                continue
            if is_enough or count > 1 or _has_initial(listed):
                yield position

    def _match_joined(self, whole: str) -> Iterable[tuple[int, float]]:
        """Return names with about the same letters, whatever their blanks, with their scores."""
        positions = list(
            {position for key in _end_keys(whole) for position in self._wholes.get(key, ())}
        )
        matches = process.extract(
            whole,
            [self._names[position].whole for position in positions],
            scorer=Levenshtein.normalized_similarity,
            score_cutoff=_JOINED_MIN,
            limit=None,
        )
        for _, score, at in matches:
            yield positions[at], score


def _family(text: str) -> frozenset[str]:
    last, comma, _ = text.partition(",")
    found = readings(last, is_business=False) if comma else []
    return frozenset(word for words in found for word in words)


def _end_keys(whole: str) -> tuple[str, ...]:
    """Return the index keys of a name without blanks; none for a very short one."""
    if len(whole) < 2 * _JOINED_LETTERS:
        return ()
    return f"{whole[:_JOINED_LETTERS]}-", f"-{whole[-_JOINED_LETTERS:]}"


def _score(
    words: Sequence[str], word_scores: dict[str, dict[str, float]], name: _IndexedName
) -> float:
    """Return the similarity of two names, from 0 to 1."""
    listed = name.words
    pairs = sorted(
        (
            (worth, word_at, listed_at)
            for word_at, word in enumerate(words)
            for listed_at, other in enumerate(listed)
            if (worth := word_scores[word].get(other) or _initial_score(word, other))
        ),
        reverse=True,
    )
    shorter = words if len(words) <= len(listed) else listed
    open_words, open_listed = set(range(len(words))), set(range(len(listed)))
    gained, weights, has_word, has_family = 0.0, 0, False, not name.family
    for worth, word_at, listed_at in pairs:
        if word_at in open_words and listed_at in open_listed:
            open_words.remove(word_at)
            open_listed.remove(listed_at)
            weight = min(_weight(words[word_at]), _weight(listed[listed_at]))
            gained += worth * weight
            weights += weight
            has_word = has_word or (weight >= _WEIGHT_MIN and worth >= _BESIDE_INITIAL_MIN)
            has_family = has_family or listed[listed_at] in name.family
    missed = open_words if shorter is words else open_listed
    weights += sum(_weight(shorter[at]) for at in missed)
    extra = min(abs(len(words) - len(listed)), _EXTRA_WORDS_MAX)
    return gained / weights * (1 - _EXTRA_WORD * extra) if has_word and has_family else 0.0


def _has_initial(words: Sequence[str]) -> bool:
    return any(len(word) == 1 for word in words)


def _initial_score(word: str, other: str) -> float:
    is_initial = (len(word) == 1) != (len(other) == 1)
    return _INITIAL if is_initial and word[0] == other[0] else 0.0


def _weight(word: str) -> int:
    """Return the weight of a word: its length, within bounds; an initial counts as two."""
    return _INITIAL_WEIGHT if len(word) == 1 else max(_WEIGHT_MIN, min(_WEIGHT_MAX, len(word)))


def _birth_deduction(subject: ScreeningSubject, entry: SanctionsEntry) -> int:
    """Return the deduction for a birth year that is not close to a listed one."""
    years = [year for each in entry.birth_dates for year in _years(each)]
    if subject.born is None or not years:
        return 0
    apart = min(abs(subject.born.year - year) for year in years)
    return min(_POINTS_MAX, _POINTS_PER_YEAR * max(0, apart - _YEARS_APART))


def _years(text: str) -> Iterable[int]:
    """Return the years of a published birth date; a range yields all of its years."""
    for begin, end in _RANGE.findall(text):
        yield from range(int(begin), int(end) + 1)
    for year in _YEAR.findall(text):
        yield int(year)
