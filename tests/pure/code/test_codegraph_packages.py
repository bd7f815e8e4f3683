"""What Python's imports load, in any layout of packages: with `__init__.py` and without, nested, and below `src`."""

from collections.abc import Sequence

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.pure.code_searched import Searched
from verifflowcc.code.rules import bind_queries
from verifflowcc.code.rules.binding import Binder
from verifflowcc.code.rules.code_context import choose
from verifflowcc.code.rules.graph import CONFIDENT
from verifflowcc.code.rules.repository_map import FileGraph, graph_of, map_of

NAMES = ("a", "b", "c")
_Texts = dict[str, str]

NAMESPACE = {
    "app/by_folder.py": "from services import billing\n\n\ndef one():\n    return billing.invoice.total([1])\n",
    "app/by_module.py": "from services.billing import invoice\n\n\ndef two():\n    return invoice.total([2])\n",
    "app/dotted.py": "import services.billing.invoice\n\n\n"
    "def three():\n    return services.billing.invoice.total([3])\n",
    "app/by_name.py": "from services.billing.invoice import total\n\n\ndef four():\n    return total([4])\n",
    "app/renamed.py": "import services.billing as books\n\n\ndef five():\n    return books.invoice.total([5])\n",
    "services/billing/report.py": "from . import invoice\n\n\ndef six():\n    return invoice.total([6])\n",
    "services/billing/invoice.py": "def total(lines):\n    return sum(lines)\n",
}
"""An application whose packages have no `__init__.py`."""

# A part of a statement may name what is here, what is not, a module, or a folder.
_dotted = st.lists(st.sampled_from((*NAMES, "missing")), min_size=1, max_size=3).map(".".join)
_relative = st.builds(lambda dots, rest: dots + rest, st.sampled_from((".", "..", "...")), _dotted | st.just(""))
_taken = st.sampled_from((*NAMES, "missing", "a_function", "*", "a as other"))
_statement = st.one_of(
    st.builds("import {}".format, _dotted),
    st.builds("import {} as other".format, _dotted),
    st.builds("from {} import {}".format, _dotted | _relative, _taken),
)
_folder = st.lists(st.sampled_from(NAMES), max_size=3).map("/".join)
_file = st.sampled_from(("__init__.py", *(f"{name}.py" for name in NAMES), "a.pyi", "a.test.py", "page.js", "main.go"))


@st.composite
def _layouts(draw: st.DrawFn) -> _Texts:
    """Draw a tree: any folder may be a package, a namespace, or bear the name of a module beside it."""
    root = draw(st.sampled_from(("", "src/", "lib/deep/")))
    texts = {}
    for folder, file in draw(st.lists(st.tuples(_folder, _file), min_size=1, max_size=12)):
        statements: Sequence[str] = draw(st.lists(_statement, max_size=4))
        text = "\n".join((*statements, "def a_function():\n    return a.b.c.a_function() + other.a_function() + b()\n"))
        texts[root + (f"{folder}/" if folder else "") + file] = text if file.endswith(("py", "pyi")) else ""
    return texts


def imported(graph: FileGraph, path: str) -> list[str]:
    """Return the files that a file imports, or that import it."""
    return [graph.paths[place] for place in graph.near[list(graph.paths).index(path)]]


@settings(deadline=None, max_examples=60)
@given(_layouts())
def test_imports_lead_to_files_in_any_layout_and_no_question_fails(texts: _Texts) -> None:
    code = Searched(texts)

    graph = graph_of(code)
    choose("call a_function of a", code, 2_000, len, graph)
    map_of(code, graph, 2_000, len)

    assert list(graph.paths) == sorted(texts)
    assert all(0 <= place < len(texts) for near in graph.near for place in near)
    binder = Binder(code)
    for path in texts:
        for taken in code.head(path).imports:
            sources = (*binder.names.sources(path, taken), *binder.names.loaded(path, taken))
            assert all(any(file.startswith(each) for file in texts) for each in sources), sources
        for each in (*bind_queries.imports(binder, path), *bind_queries.imported_by(binder, path)):
            assert set(each.files) <= set(texts)
        for place in range(len(code.head(path).definitions)):
            for link in (*bind_queries.callers(binder, path, place), *bind_queries.callees(binder, path, place)):
                assert {one.path for one in link.candidates} <= set(texts)


@settings(deadline=None, max_examples=40)
@given(_layouts(), st.data())
def test_a_module_that_is_imported_by_its_whole_name_is_linked(texts: _Texts, data: st.DataObject) -> None:
    texts.pop("__init__.py", None)  # it makes the repository itself a package, and no root of modules
    modules = sorted(path for path in texts if path.endswith(".py") and path.count(".") == 1)
    assume(modules)
    stem = data.draw(st.sampled_from(modules)).removesuffix(".py").removesuffix("/__init__")
    code = Searched({**texts, "user.py": f"import {stem.replace('/', '.')}\n"})

    files = [file for each in bind_queries.imports(code, "user.py") for file in each.files]

    assert files in ([f"{stem}.py"], [f"{stem}/__init__.py"])
    assert imported(graph_of(code), "user.py") == files


@pytest.mark.parametrize(
    "init", [(), ("services/__init__.py",), ("services/__init__.py", "services/billing/__init__.py")]
)
def test_callers_are_found_through_packages_with_and_without_init(init: Sequence[str]) -> None:
    code = Searched({**NAMESPACE, **dict.fromkeys(init, "")})

    links = bind_queries.callers(code, "services/billing/invoice.py", 0)

    sure = sorted(link.symbol for link in links if link.confidence >= CONFIDENT)
    assert sure == ["five", "four", "one", "six", "three", "two"]


def test_a_module_of_a_namespace_package_knows_who_imports_it() -> None:
    code = Searched(NAMESPACE)

    importing = {each.path for each in bind_queries.imported_by(code, "services/billing/invoice.py")}

    assert importing == set(NAMESPACE) - {"services/billing/invoice.py"}


def test_an_import_of_a_folder_alone_links_to_no_file() -> None:
    graph = graph_of(Searched(NAMESPACE))

    assert imported(graph, "app/by_folder.py") == []
    assert imported(graph, "app/dotted.py") == ["services/billing/invoice.py"]
    assert imported(graph, "app/by_module.py") == ["services/billing/invoice.py"]
