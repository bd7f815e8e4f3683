"""The formats of other tools that can be imported, one entry each.

Files are offered to them in this order.
"""

from collections.abc import Mapping

from verifflowcc.base.records import dataclass


@dataclass(frozen=True, slots=True)
class Importer:
    """A format: the endings of its files, its reader, and the reader's arguments.

    The reader is loaded with `lazy.load`.

    `takes` is `texts` (all files, each with its name), `text` (one file after the other), `file` (a path) or `folder`.
    `option` is the part of the request that it needs too.
    """

    endings: tuple[str, ...]
    read: str
    takes: str = "texts"
    option: str = ""


IMPORTERS: Mapping[str, Importer] = {
    "doorstop": Importer((), "verifflowcc.trace.store.foreign_files:read_doorstop_tree", "folder"),
    "yaml": Importer((), "verifflowcc.trace.store.foreign_files:read_yaml_tree", "folder", "mapping"),
    "strictdoc": Importer((".sdoc",), "verifflowcc.trace.rules.import_sdoc:read_sdoc"),
    "vfcc": Importer((".json",), "verifflowcc.trace.rules.import_needs:read_exported", "text"),
    "sphinx-needs": Importer((".json",), "verifflowcc.trace.rules.import_needs:read_needs", "text"),
    "reqif": Importer((".reqif", ".reqifz"), "verifflowcc.trace.store.reqif:read_reqif", "file"),
    "csv": Importer((".csv", ".tsv"), "verifflowcc.trace.rules.import_needs:read_csv", "text", "columns"),
    "openfasttrace": Importer((".md", ".markdown"), "verifflowcc.trace.rules.import_oft:read_oft"),
    "markdown": Importer(
        (".md", ".markdown"), "verifflowcc.trace.rules.import_markdown:read_markdown", option="pattern"
    ),
}
