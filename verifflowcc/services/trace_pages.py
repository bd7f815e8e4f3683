"""The shipped parts of the matrix's page."""

from verifflowcc.adapters.workflows.load import templates_folder
from verifflowcc.trace.matrix_page import PageParts


def page_parts() -> PageParts:
    """Return the skeleton, the style sheet and the script that come with vfcc."""
    folder = templates_folder() / "trace"
    html, css, js = ((folder / f"matrix.{kind}").read_text(encoding="utf-8") for kind in ("html", "css", "js"))
    return PageParts(html, css, js)
