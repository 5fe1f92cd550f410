"""Template of a request that has either its name, or a definition that is not saved."""

from landbridge.platform.core.errors import FieldsInvalid
from landbridge.reporting.metrics.custom.checks import check_definition
from landbridge.reporting.metrics.custom.compile import compile_template
from landbridge.reporting.metrics.custom.definition import TemplateDefinition
from landbridge.reporting.metrics.model import MetricTemplate

# Name in results for a template that is not saved.
UNSAVED = "UNSAVED"


def preview_template(
    name: str | None, definition: TemplateDefinition | None
) -> str | MetricTemplate:
    """Return the name, or the template of the definition.

    Raises `FieldsInvalid` unless exactly one of both is given, or with all problems of the
    definition.
    """
    if definition is None:
        if name is None:
            raise FieldsInvalid({"template": "template or definition is required"})
        return name
    if name is not None:
        raise FieldsInvalid({"definition": "definition must not be given beside template"})
    check_definition(definition)
    return compile_template(definition, name=UNSAVED, version=None, display_name="", description="")
