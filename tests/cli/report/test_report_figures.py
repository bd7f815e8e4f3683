"""Laws of the report's figures: on random projects, and on this one, each is what its command prints with `--json`."""

import subprocess
from pathlib import Path
from shutil import copytree
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.cli.process import git, vfcc
from tests.histories import SPRINT, bases
from tests.report_figures import figures_of, wrong_figures
from tests.trees import write_memory
from verifflowcc.base.formats.event_bytes import encode_event
from verifflowcc.base.model.events import Event

ROOT = Path(__file__).parents[3]
TYPES = ("need", "requirement", "component", "decision", "convention", "fact")
TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\r\n"), max_size=20)


@st.composite
def items(draw: st.DrawFn) -> dict[str, str]:
    """Items of several types that link to each other, to nothing and in circles, with titles of any characters."""
    names = [f"ITEM-{number}" for number in range(draw(st.integers(0, 6)))]
    found = {}
    for name in names:
        kind = draw(st.sampled_from(TYPES))
        relation = draw(st.sampled_from(("refines", "supersedes", "implements")))
        target = draw(st.sampled_from([*names, "ITEM-nowhere"]))
        status = draw(st.sampled_from(("active", "pending", "archived")))
        folder = {"decision": "decisions", "convention": "conventions"}.get(kind, f"items/{kind}")
        front = f"id: {name}\ntype: {kind}\nstatus: {status}\nlinks: [{{to: {target}, relation: {relation}}}]"
        found[f"project/{folder}/{name}.md"] = f"---\n{front}\n---\n# {name} {draw(TEXTS)}\n\n{draw(TEXTS)}\n"
    return found


@pytest.mark.sweep
@settings(deadline=None, max_examples=20)
@given(history=bases(forks=1), remembered=items())
def test_the_figures_of_a_random_project_are_those_of_its_commands(
    history: list[Event], remembered: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    with TemporaryDirectory(dir=tmp_path_factory.getbasetemp()) as folder:
        root = write_memory(Path(folder) / "project", {"config.yaml": "format: 2\n", **remembered})
        events = {f"sprint/{SPRINT}/events/{each.id}.json": encode_event(each) for each in history}
        write_memory(root, events)

        done = vfcc(root, "report", "--local", "--html", "site")

        assert done.code in (0, 1), done
        assert (root / "site/index.html").is_file()
        assert list(wrong_figures(root, figures_of(root / "site"))) == []


@pytest.mark.sweep
def test_the_figures_of_this_project_are_those_of_its_commands(tmp_path: Path) -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("this is no clone")
    clone = tmp_path / "verifflowcc"
    subprocess.run(["git", "clone", "--quiet", "--shared", str(ROOT), str(clone)], check=True)
    git(clone, "checkout", "--quiet", "--detach")

    assert vfcc(clone, "report", "--html", "../site").code == 0
    figures = figures_of(tmp_path / "site")

    assert {each.page for each in figures} == {"gates.html", "index.html", "memory.html", "prompts.html", "trace.html"}
    assert len(figures) > 300
    assert list(wrong_figures(clone, figures)) == []


@pytest.mark.sweep
def test_a_figure_that_is_wrong_is_found(example: Path) -> None:
    assert vfcc(example, "report", "--local", "--html", "site").code == 0
    copy = copytree(example / "site", example / "spoilt")
    page = copy / "index.html"
    text = page.read_text(encoding="utf-8")
    page.write_text(text.replace('<data value="5"', '<data value="6"', 1), encoding="utf-8")

    figures = [each for each in figures_of(copy) if each.page == "index.html"]

    assert len(list(wrong_figures(example, figures))) == 1
