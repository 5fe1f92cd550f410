"""What all hosted pages have in common: their look, and that browsers let nothing else in."""

import base64
import hashlib

from jinja2 import Environment, PackageLoader

# Layout, style and the text of the terms; pages of other packages extend these.
LOADER = PackageLoader("landbridge.users", "pages")


def _source_of_style() -> str:
    """The one style sheet that a page may have, which stands in it, by its hash."""
    # As Jinja renders it: without its last line end.
    style = Environment(loader=LOADER, autoescape=True).get_template("style.css").render()
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return f"'sha256-{digest}'"


STYLE = _source_of_style()
