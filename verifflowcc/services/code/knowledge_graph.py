"""`KnowledgeGraph`: the questions to the code graph, for programs."""

from pathlib import Path

from verifflowcc.domain.code_told import Finding, Outline, Relations
from verifflowcc.services.code.asking import file_outline, find_symbols, relations
from verifflowcc.services.workspace import open_workspace


class KnowledgeGraph:
    """What is in the project's code, and who refers to what. Each question brings the graph up to the files first.

    >>> KnowledgeGraph(Path(".")).get_callers("Basket.put")  # doctest: +SKIP
    """

    def __init__(self, project_root: Path) -> None:
        self._workspace = open_workspace(project_root)

    def get_file_contents(self, path: str) -> Outline:
        """Return the classes and functions of a file, and its imports. Raises VfccError where there is no such file."""
        return file_outline(self._workspace, path)

    def get_callers(self, function: str) -> Relations:
        """Return what calls a function. Raises VfccError where there is none of that name."""
        return relations(self._workspace, "callers", function)

    def get_dependencies(self, file: str) -> Relations:
        """Return what a file imports. Raises VfccError where there is no such file."""
        return relations(self._workspace, "imports", file)

    def find_symbol(self, name: str) -> Finding:
        """Return where a name is defined, all places. Raises VfccError where it is nowhere."""
        return find_symbols(self._workspace, name)
