"""Reports in XML, from anywhere: read into elements, or refused with the reason.

A document type declaration is refused before anything else is read, and with it every entity: all known ways to make a
small XML file large go through them. Where a format's tools do name one, as those of Cobertura, a mere name is let
through; nothing is fetched, and one with declarations in it is refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from verifflowcc.errors import FormatError

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

LARGEST_REPORT_BYTES = 64 * 2**20


def read_xml(data: bytes, *, names_a_type: bool = False) -> Element:
    """Return the root element; the report may name a document type where `names_a_type`.

    Raises FormatError with the reason where the data is larger than 64 MiB, is no XML, is in an encoding that cannot be
    read, or declares a document type.
    """
    from xml.etree import ElementTree

    check_size(data)
    try:
        _refuse_document_type(data, names_a_type)
        return ElementTree.fromstring(data)
    except (SyntaxError, LookupError, ValueError) as error:
        raise FormatError(f"not XML: {error}") from error


def check_size(data: bytes) -> None:
    """Raise FormatError where a report is empty or too large to be read."""
    if len(data) > LARGEST_REPORT_BYTES:
        raise FormatError(f"larger than {LARGEST_REPORT_BYTES // 2**20} MiB")
    if not data.strip():
        raise FormatError("the report is empty")


def local_name(element: Element) -> str:
    """Return the element's name without its namespace."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


class _RootSeen(Exception):  # noqa: N818 - no error: nothing more to look for
    """The root element begins: a document type can no longer follow."""


def _refuse_document_type(data: bytes, names_a_type: bool) -> None:
    from xml.parsers import expat

    def refuse(_name: str, _system: str | None, _public: str | None, declares: bool) -> None:
        if declares or not names_a_type:
            raise FormatError("declares a document type (DTD), which no report needs")

    def stop(*_element: object) -> None:
        raise _RootSeen

    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = refuse
    parser.StartElementHandler = stop
    try:
        parser.Parse(data, True)
    except _RootSeen:
        return
    except expat.ExpatError as error:
        raise FormatError(f"not XML: {error}") from error
