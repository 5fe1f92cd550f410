"""Validation of form answers: valid answers, and errors of the others. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from landbridge.customers.kyc.field_types import ValidationContext
from landbridge.customers.onboarding.form_inputs import Errors, Form, FormQuestion, read, sentence
from landbridge.customers.onboarding.labels import field_label
from landbridge.customers.users.page_language import translate
from landbridge.platform.core.errors import FieldInvalid

# Path of errors that concern no single question.
WHOLE = ""


@dataclass(slots=True)
class FormAnswers:
    """Valid answers and errors, by path."""

    answers: dict[str, Any] = field(default_factory=dict[str, Any])
    errors: Errors = field(default_factory=Errors)

    def blame(self, error: FieldInvalid, questions: Sequence[FormQuestion], path: str) -> None:
        """Remove an answer from the valid ones if it conflicts with other answers.

        `path` is the question of the invalid field. If it was not part of this form, the submitted
        answers conflict with stored data, and none of them is valid.
        """
        culprit = find(questions, path)
        if culprit is None:
            self.errors[WHOLE] = sentence(error, translate("Your answers"))
        else:
            question = (
                culprit.field_label if path == culprit.path else field_label(culprit.of, path)
            )
            self.errors[path] = sentence(error, question.label)
        if culprit is None or culprit.path not in self.answers:
            self.answers.clear()
        else:
            del self.answers[culprit.path]


def answers(
    questions: Iterable[FormQuestion], form: Form, context: ValidationContext
) -> FormAnswers:
    """Return all answers, each validated separately."""
    found = FormAnswers()
    for each in questions:
        value, errors = read(each, form, context)
        found.errors |= errors
        if value is not None:
            found.answers[each.path] = value
    return found


def find(questions: Iterable[FormQuestion], path: str) -> FormQuestion | None:
    """Return the question for this field, or for the field that contains it."""
    return next(
        (each for each in questions if path == each.path or path.startswith(f"{each.path}.")), None
    )
