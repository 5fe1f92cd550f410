"""Reading answers: those that are good, and what is wrong with the others. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from landbridge.core.errors import FieldInvalid
from landbridge.kyc.kinds import Context
from landbridge.onboarding.inputs import Errors, Form, Question, read, sentence
from landbridge.onboarding.words import word

# The place of what belongs to no single question.
WHOLE = ""


@dataclass(slots=True)
class Answers:
    """Good answers and errors, by path."""

    told: dict[str, Any] = field(default_factory=dict[str, Any])
    errors: Errors = field(default_factory=Errors)

    def blame(self, error: FieldInvalid, questions: Sequence[Question], path: str) -> None:
        """Take an answer that is refused in the light of others off the good ones.

        `path` is where the field at fault is asked. If it was not answered just now, what was
        answered does not go with what is known, and none of it is good.
        """
        culprit = find(questions, path)
        if culprit is None:
            self.errors[WHOLE] = error.message[:1].upper() + error.message[1:]
        else:
            asked_as = culprit.word if path == culprit.path else word(culprit.of, path)
            self.errors[path] = sentence(error, asked_as.label)
        if culprit is None or culprit.path not in self.told:
            self.told.clear()
        else:
            del self.told[culprit.path]


def answers(questions: Iterable[Question], form: Form, context: Context) -> Answers:
    """Everything that was answered, each question by itself."""
    found = Answers()
    for each in questions:
        value, errors = read(each, form, context)
        found.errors |= errors
        if value is not None:
            found.told[each.path] = value
    return found


def find(questions: Iterable[Question], path: str) -> Question | None:
    """The question that asks for this field, or for what it is a part of."""
    return next(
        (each for each in questions if path == each.path or path.startswith(f"{each.path}.")), None
    )
