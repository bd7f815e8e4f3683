"""What the code graph answers a model: one line for each place, as `path:line`."""

from collections.abc import Callable, Mapping

from verifflowcc.domain.graph import CONFIDENT, Found, Link
from verifflowcc.services.workspace import Workspace

_MOST = 40


def _context(workspace: Workspace, of: str, budget: int) -> list[str]:
    from verifflowcc.services.code.touching import show_context

    found = show_context(workspace, of, budget)
    return [found.text.rstrip("\n") or "no code matches the task", *found.notices]


def _map(workspace: Workspace, _: str, budget: int) -> list[str]:
    from verifflowcc.services.code.touching import show_map

    found = show_map(workspace, budget)
    return [found.text.rstrip("\n"), *found.notices]


def _find(workspace: Workspace, of: str, _: int) -> list[str]:
    from verifflowcc.services.code.asking import find_symbols

    found = find_symbols(workspace, of, None, _MOST)
    left = found.all_found - len(found.found)
    return [*(_place(each) for each in found.found), *([f"and {left} more"] if left else []), *found.notices]


def _file(workspace: Workspace, of: str, _: int) -> list[str]:
    from verifflowcc.services.code.asking import file_outline

    found = file_outline(workspace, of)
    rows = [f"{'  ' * row.depth}{row.line}: {row.signature or row.name}" for row in found.symbols]
    imports = dict.fromkeys(path for each in found.imports for path in each.files)
    return [f"{found.path}: {found.lines} lines", *rows, *([f"imports: {', '.join(imports)}"] if imports else [])]


def _callers(workspace: Workspace, of: str, _: int) -> list[str]:
    return _relations(workspace, "callers", of)


def _callees(workspace: Workspace, of: str, _: int) -> list[str]:
    return _relations(workspace, "callees", of)


def _relations(workspace: Workspace, kind: str, of: str) -> list[str]:
    from verifflowcc.services.code.asking import relations

    found = relations(workspace, kind, of)
    lines = []
    for each in found.symbols:
        sure = [link for link in each.links if link.confidence >= CONFIDENT]
        possible = [link for link in each.links if 0 < link.confidence < CONFIDENT]
        lines.append(f"{_place(each.symbol)}: {len(sure)} {kind}, {len(possible)} more are possible")
        lines += [f"  {_link(link, kind)}" for link in (*sure, *possible)[:_MOST]]
    return [*lines, *found.notices]


def _impact(workspace: Workspace, of: str, _: int) -> list[str]:
    from verifflowcc.services.code.touching import code_impact

    found = code_impact(workspace, of)
    lines = [_place(each) for each in found.symbols]
    lines += [f"{each.type} {each.id}: {each.title} ({each.why})" for each in (*found.items, *found.memories)]
    lines += [f"test {each}" for each in found.tests[:_MOST]]
    lines += [_link(each, "callers") for each in found.callers[:_MOST]]
    lines += [f"imported by {path}" for path in list(dict.fromkeys(each.path for each in found.imported_by))[:_MOST]]
    return lines or [f"nothing that is known depends on {of}"]


def _place(found: Found) -> str:
    return f"{found.path}:{found.line} {found.signature or f'{found.kind} {found.name}'}"


def _link(link: Link, kind: str) -> str:
    if kind == "callees" and link.candidate:
        return f"{link.path}:{link.line} {link.name} → {link.candidate.path} ({link.confidence} %)"
    return f"{link.path}:{link.line} in {link.around or 'the file'} ({link.confidence} %)"


CODE_ANSWERS: Mapping[str, Callable[[Workspace, str, int], list[str]]] = {
    "context": _context,
    "find": _find,
    "callers": _callers,
    "callees": _callees,
    "file": _file,
    "impact": _impact,
    "map": _map,
}
"""How each question is answered: in a project, of what, within how many tokens."""
