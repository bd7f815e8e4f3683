"""`vfcc report` writes a static site: from committed content alone, the same on every clone, and every text is text."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.cli.at_terminal import project, typed
from tests.cli.process import by_person, git, vfcc
from tests.people_world import PLAN
from tests.report_figures import figures_of, wrong_figures
from tests.trace_project import HOSTILE, traced
from tests.trees import write_memory, write_tree

pytestmark = pytest.mark.vfcc("REQ-REPORT")

FILES = ["gates.html", "index.html", "memory.html", "prompts.html", "trace.html"]


def committed(root: Path) -> Path:
    """Put the project into a repository of its own, with everything committed."""
    git(root, "init", "--quiet", "--initial-branch=main")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message=Begin")
    return root


def pages(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in sorted(folder.iterdir())}


@pytest.fixture
def kept(example: Path) -> Path:
    return committed(example)


def test_it_writes_five_pages_and_each_sprint_as_markdown(kept: Path) -> None:
    done = vfcc(kept, "report", "--json")

    assert done.data["folder"].endswith(".memory/local/report")
    assert [each["name"] for each in done.data["files"]] == sorted(
        [*FILES, "sprint-sprint-01.txt", "sprint-sprint-02.txt"]
    )
    assert sorted(pages(kept / ".memory/local/report")) == [each["name"] for each in done.data["files"]]
    assert git(kept, "status", "--porcelain") == ""


def test_each_figure_is_what_its_command_prints(kept: Path) -> None:
    assert vfcc(kept, "report", "--html", "site").code == 0

    figures = figures_of(kept / "site")

    assert {each.page for each in figures} == set(FILES)
    assert len(figures) > 200
    assert list(wrong_figures(kept, figures)) == []


def test_the_figures_of_a_traced_project_are_those_of_the_matrix(young: Path) -> None:
    committed(traced(young))
    assert vfcc(young, "report", "--html", "site").code == 0

    figures = [each for each in figures_of(young / "site") if each.command == "trace matrix"]

    assert len(figures) > 5
    assert list(wrong_figures(young, figures)) == []


def test_every_clone_of_a_commit_writes_the_same_bytes(kept: Path, tmp_path: Path) -> None:
    address = "https://github.com/acme/tides.git"
    git(kept, "remote", "add", "origin", address)
    clone = tmp_path / "elsewhere"
    subprocess.run(["git", "clone", "--quiet", str(kept), str(clone)], check=True)
    git(clone, "remote", "set-url", "origin", address)
    write_tree(clone, {"notes.md": "not committed", ".memory/project/decisions/0099-later.md": "# Later\n"})

    for root in (kept, clone):
        assert vfcc(root, "report", "--html", "site").code == 0

    assert pages(kept / "site") == pages(clone / "site")


def test_a_shallow_clone_has_a_report_too(kept: Path, tmp_path: Path) -> None:
    git(kept, "commit", "--quiet", "--allow-empty", "--message=Go on")
    clone = tmp_path / "shallow"
    subprocess.run(["git", "clone", "--quiet", "--depth=1", kept.as_uri(), str(clone)], check=True)

    done = vfcc(clone, "report", "--html", "site")

    assert (done.code, done.out) == (0, "site/index.html\n")


def test_it_holds_what_is_committed_and_no_more(kept: Path) -> None:
    write_memory(kept, {"project/decisions/0099-unseen.md": "---\nid: unseen-a2b3\n---\n# Nobody committed this\n"})
    assert vfcc(kept, "memory", "add", "preference", "Tabs for me alone", "--scope", "user").code == 0

    plain = vfcc(kept, "report", "--html", "site")
    assert vfcc(kept, "report", "--html", "local", "--local").code == 0

    assert "note: 1 uncommitted file is not in it" in plain.err
    assert "Nobody committed this" not in "".join(pages(kept / "site").values())
    assert "Nobody committed this" in pages(kept / "local")["memory.html"]
    assert "Tabs for me alone" not in "".join((*pages(kept / "site").values(), *pages(kept / "local").values()))


def test_a_local_report_marks_what_is_local(kept: Path) -> None:
    assert vfcc(kept, "task", "start", "Round the heights").code == 0
    assert vfcc(kept, "report", "--html", "site").code == 0
    assert vfcc(kept, "report", "--html", "local", "--local").code == 0
    plain, local = pages(kept / "site"), pages(kept / "local")

    assert "Round the heights" not in "".join(plain.values())
    assert "Round the heights" in local["index.html"]
    assert all("<strong>Local report.</strong>" in local[name] for name in FILES)
    assert 'On this machine <span class="mark open">! local</span>' in local["index.html"]


def test_without_a_commit_a_report_is_local_or_none(example: Path) -> None:
    vfcc(example, "report").refused(3, "there is no commit to report on", "vfcc report --local")
    assert vfcc(example, "report", "--local").code == 0

    git(example, "init", "--quiet")
    vfcc(example, "report").refused(3, "there is no commit to report on")


def test_a_page_that_it_did_not_write_is_left_alone(kept: Path) -> None:
    write_tree(kept, {"site/index.html": "<h1>My own</h1>\n"})

    vfcc(kept, "report", "--html", "site").refused(2, "index.html was not written by vfcc report")
    assert (kept / "site/index.html").read_text(encoding="utf-8") == "<h1>My own</h1>\n"
    assert vfcc(kept, "report", "--html", "CLAUDE.md").code == 2


def test_the_pages_load_nothing_from_elsewhere(kept: Path) -> None:
    assert vfcc(kept, "report", "--html", "site").code == 0

    for name, text in pages(kept / "site").items():
        if name.endswith(".html"):
            assert not re.search(r"(src|srcset|action)=|url\(|@import|<(link|img|iframe|object|base)\b", text), name
            targets = set(re.findall(r'href="([^"#]*)', text)) - {""}
            assert targets <= set(pages(kept / "site")), name
            assert text.count("<script>") == text.count("<style>") == 1
            assert "default-src 'none'; style-src 'sha256-" in text


def test_places_link_to_the_forge_of_the_remote(young: Path) -> None:
    committed(traced(young))
    git(young, "remote", "add", "origin", "https://user:hidden-word@github.com/acme/shop.git")
    commit = git(young, "rev-parse", "HEAD").strip()
    assert vfcc(young, "report", "--html", "site").code == 0
    text = "".join(pages(young / "site").values())

    assert re.search(f'href="https://github.com/acme/shop/blob/{commit}/src/session.py#L[0-9]+"', text)
    assert f'href="https://github.com/acme/shop/commit/{commit}"' in text
    assert "hidden-word" not in text


def test_what_a_project_holds_is_text_on_every_page(young: Path) -> None:
    traced(young)
    odd = "---\nid: odd-a2b3\ntags: ['{{ 7 * 7 }}']\n---\n# Odd "
    items = {
        "project/decisions/0001-odd.md": f"{odd}{HOSTILE}\n\nText.\n",
        "project/items/requirement/REQ-huge.md": f"---\nid: REQ-huge\ntitle: Huge\n---\n{'x' * 10_000_000}\n",
        "project/items/requirement/REQ-long.md": f"---\nid: REQ-long\ntitle: Long\n---\n{'x' * 500_000}\n",
    }
    write_memory(young, items)
    words = ("<img src=x onerror=alert(1)>", "--goal", "<script>alert(1)</script>", "--id", "odd")
    assert by_person(young, "sprint", "start", *words).code == 0
    committed(young)
    done = vfcc(young, "report", "--html", "site", "--json")

    assert done.code == 0
    assert sum(each["bytes"] for each in done.data["files"]) < 1_000_000
    for name, text in pages(young / "site").items():
        if name.endswith(".html"):
            assert "<img" not in text
            assert text.count("<script") == 1
            assert not re.search("[\u202a-\u202e\u2066-\u2069\u200e\u200f]", text)
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in pages(young / "site")["gates.html"]
    assert "&lt;img src=x onerror=alert(1)&gt;" in pages(young / "site")["index.html"]
    assert "more characters" in pages(young / "site")["trace.html"]


def test_what_cannot_be_trusted_is_shown_and_is_a_finding(kept: Path) -> None:
    event = max((kept / ".memory/sprint/sprint-02/events").iterdir())
    event.write_text(event.read_text(encoding="utf-8").replace("maintainer", "somebody"), encoding="utf-8")
    git(kept, "commit", "--quiet", "--all", "--message=Forge")

    done = vfcc(kept, "report", "--html", "site")

    assert (done.code, done.out) == (1, "site/index.html\n")
    assert "1 of its event files cannot be trusted" in pages(kept / "site")["index.html"]
    assert "Not to be trusted" in pages(kept / "site")["gates.html"]


def test_no_secret_is_on_a_page(kept: Path) -> None:
    secret = "ghp_" + "Zk3vQ9xT1mB7rW5yN2cL8dF4gH6jS0pAeUiO"
    write_memory(kept, {"project/decisions/0098-key.md": f"# The key {secret} opens it\n\n{secret}\n"})
    git(kept, "add", "--all")
    git(kept, "commit", "--quiet", "--message=A key")
    assert vfcc(kept, "report", "--html", "site").code == 0

    text = "".join(pages(kept / "site").values())

    assert "[secret withheld" in text
    assert secret not in text


def test_one_sprint_can_be_reported_alone(kept: Path) -> None:
    done = vfcc(kept, "report", "sprint-02", "--html", "site", "--json")
    listed = [each for each in figures_of(kept / "site") if each.command == "sprint list"]
    assert len(listed) == 3
    assert list(wrong_figures(kept, listed)) == []

    done = vfcc(kept, "report", "sprint-01", "--html", "site", "--json")

    assert [each["id"] for each in done.data["sprints"]] == ["sprint-01"]
    assert (kept / "site/sprint-sprint-01.txt").is_file()
    assert not (kept / "site/sprint-sprint-02.txt").exists()
    vfcc(kept, "report", "sprint-09").refused(2, "sprint-09")


def test_the_trend_ends_with_the_criteria_that_are_on_record(kept: Path) -> None:
    for sprint in vfcc(kept, "report", "--json").data["sprints"]:
        stages = vfcc(kept, "sprint", "report", sprint["id"], "--json", "--full").data["stages"]
        passed = [each for stage in stages for each in stage["verdicts"] if each["verdict"] == "pass"]
        assert sprint["criteria_passed"] == len(passed)
        assert sprint["points"][-1]["criteria_passed"] == len(passed)
    everything = vfcc(kept, "report", "--json").data
    assert everything["trend"][-1]["criteria_passed"] == sum(each["criteria_passed"] for each in everything["sprints"])


def test_an_approval_shows_the_changes_that_it_saw(tmp_path: Path) -> None:
    here = project(tmp_path)
    assert typed(here.root, "approve", "plan", "--yes", "--reason", "fine").code == 0
    git(here.root, "add", "--all")
    git(here.root, "commit", "--quiet", "--message=Approve")
    text = (here.root / PLAN).read_text(encoding="utf-8").strip().splitlines()[-1]
    assert vfcc(here.root, "report", "--html", "../first").code == 0
    (here.root / PLAN).write_text("Quite another plan\n", encoding="utf-8")
    git(here.root, "commit", "--quiet", "--all", "--message=Change the plan")
    assert vfcc(here.root, "report", "--html", "../second").code == 0

    first, second = (pages(here.root.parent / name)["gates.html"] for name in ("first", "second"))

    for page in (first, second):
        assert f'<span class="in">+{text}</span>' in page
        assert "<code>reviewed</code> approved by human:Other" in page
    assert "changed since the approval" not in first
    assert f"<summary>{PLAN} (changed since the approval)</summary>" in second
    assert "Quite another plan" not in second


def test_the_summary_is_the_board_in_markdown(kept: Path, tmp_path: Path) -> None:
    shown = vfcc(kept, "report", "--summary")
    file = tmp_path / "summary.md"
    file.write_text("before\n", encoding="utf-8")
    added = vfcc(kept, "report", "--summary", env={"GITHUB_STEP_SUMMARY": str(file)})

    assert "### Tides in a calendar (sprint\\-02)".replace("\\-", "-") in shown.out
    assert "| coding | apex | ▶ active |" in shown.out
    assert not (kept / ".memory/local/report").exists()
    assert (added.code, added.out) == (0, "")
    assert file.read_text(encoding="utf-8") == f"before\n{shown.out}"


def test_nothing_in_the_summary_is_markup(young: Path) -> None:
    assert by_person(young, "sprint", "start", "a | b <b> `c` [d](e)", "--id", "odd").code == 0
    committed(young)

    assert "a \\| b \\<b\\> \\`c\\` \\[d\\](e)" in vfcc(young, "report", "--summary").out
