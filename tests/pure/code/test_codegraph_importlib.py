"""Imports in generated package layouts: whatever Python's own finder resolves is resolved to the same file."""

import sys
from collections.abc import Sequence
from importlib.machinery import PathFinder
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.pure.code_in_memory import code_of, meant
from verifflowcc.code.rules.bind_queries import imports

NAMES = (("ape", "bee"), ("cat", "dog"), ("elk", "fox"))
"""Names by depth. They differ, since only the running program knows which of two roots comes first."""


def layout(depth: int = 0) -> st.SearchStrategy[dict[str, str]]:
    """Draw a folder: modules, packages with and without `__init__`, packages that are one file, as path → text."""
    module = st.just("file")
    kind = module if depth == len(NAMES) - 1 else st.sampled_from(("file", "package", "namespace", "one file"))

    @st.composite
    def drawn(draw: st.DrawFn) -> dict[str, str]:
        texts = {}
        for name in draw(st.lists(st.sampled_from(NAMES[depth]), min_size=1, unique=True)):
            what = draw(kind)
            text = f"def f_{name}():\n    pass\n"
            if what == "file":
                texts[f"{name}.py"] = text
            if what in ("package", "one file"):
                texts[f"{name}/__init__.py"] = text
            if what in ("package", "namespace"):
                texts |= {f"{name}/{path}": inner for path, inner in draw(layout(depth + 1)).items()}
        return texts

    return drawn()


def found_by_python(root: Path, module: str) -> str | None:
    """Return the file of a module below a root, empty for a namespace; None where there is none. Nothing runs."""
    places: Sequence[str] | None = [str(root)]
    spec = None
    parts = module.split(".")
    for number, part in enumerate(parts):
        spec = PathFinder.find_spec(
            part, places
        )  # by its last name: a namespace asks for its parent, which is not loaded
        if spec is None:
            return None
        places = spec.submodule_search_locations and list(spec.submodule_search_locations)
        if places is None and number + 1 < len(parts):
            return None
    assert spec is not None
    return str(Path(spec.origin).relative_to(root)) if spec.origin else ""


@settings(deadline=None, max_examples=50)
@given(layout(), st.data(), st.sampled_from(("", "src/")))
def test_an_import_means_the_file_that_python_finds(texts: dict[str, str], data: st.DataObject, root: str) -> None:
    paths = sorted(texts)
    user = data.draw(st.sampled_from(paths))
    modules = ["ape", "bee", *(path.removesuffix(".py").removesuffix("/__init__").replace("/", ".") for path in paths)]
    wanted = data.draw(st.lists(st.sampled_from([*modules, "ape.gnu", "ape.cat.elk.hen"]), min_size=1, max_size=4))
    statements = "".join(f"import {module} as m{number}\n" for number, module in enumerate(wanted))
    texts = {root + path: statements * (path == user) + text for path, text in texts.items()}
    with TemporaryDirectory() as folder:
        for path, text in texts.items():
            (Path(folder) / path).parent.mkdir(parents=True, exist_ok=True)
            (Path(folder) / path).write_text(text)
        expected = [found_by_python(Path(folder) / root, module) for module in wanted]
        for place in [each for each in sys.path_importer_cache if each.startswith(folder)]:
            del sys.path_importer_cache[place]

    found = [each.files for each in imports(code_of(texts), root + user)]

    for module, one, files in zip(wanted, expected, found, strict=True):
        if one:
            assert files == (root + one,), module
        if one is None:
            assert files == (), module


@settings(deadline=None, max_examples=30)
@given(layout(), st.data())
def test_a_module_taken_from_its_package_means_its_file_by_its_whole_name_and_from_where_it_is_taken(
    texts: dict[str, str], data: st.DataObject
) -> None:
    path, user = data.draw(st.sampled_from(sorted(texts))), data.draw(st.sampled_from(sorted(texts)))
    *package, name = path.removesuffix(".py").removesuffix("/__init__").split("/")
    here = user.split("/")[:-1]
    shared = 0
    while here[shared : shared + 1] == package[shared : shared + 1] != []:
        shared += 1
    statements = [f"from {'.'.join(package)} import {name} as m"] if package else [f"import {name} as m"]
    if shared and path != user:
        statements.append(f"from {'.' * (len(here) - shared + 1)}{'.'.join(package[shared:])} import {name} as n")

    code = code_of({**texts, user: "\n".join([*statements, texts[user]])})

    assert {each.files for each in imports(code, user)} == {(path,)}


@settings(deadline=None, max_examples=30)
@given(layout(), st.data())
def test_a_function_is_found_through_aliases_and_re_exports_in_a_circle(
    texts: dict[str, str], data: st.DataObject
) -> None:
    path = data.draw(st.sampled_from(sorted(texts)))
    stem = path.removesuffix(".py").removesuffix("/__init__")
    name = f"f_{stem.rpartition('/')[2]}"
    files = {
        **texts,
        "zoo/__init__.py": f"from .inner import keeper\nfrom {stem.replace('/', '.')} import {name} as animal\n",
        "zoo/inner.py": "from zoo import animal\nimport zoo\n\n\ndef keeper():\n    animal()\n    zoo.animal()\n",
        "visit.py": "from zoo import animal as pet, keeper\nimport zoo as z\n\npet()\nz.animal()\n",
    }
    code = code_of(files)

    for where, called in (("zoo/inner.py:6", "animal"), ("zoo/inner.py:7", "animal"), ("visit.py:4", "pet")):
        assert meant(code, where, called) == [f"{path}::{name}"]


@pytest.mark.parametrize("missing", ["ape.gnu", "gnu", "ape.cat.gnu"])
def test_what_python_does_not_find_means_no_file(missing: str) -> None:
    code = code_of({"ape/cat.py": "", "user.py": f"import {missing} as m\n"})

    assert imports(code, "user.py")[0].files == ()
