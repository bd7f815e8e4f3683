"""The same commit gives the same bytes, whatever way a clone was made and whatever machine it is on."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.trees import commit, committed_example, git, prompt, vfcc, write_tree

pytestmark = pytest.mark.vfcc("REQ-SAME-BYTES")

ASK = ("--agent", "coder", "--task", "write the calendar export", "--budget", "5000")
WITH = pytest.mark.parametrize("committed", [(), ("--committed",)], ids=["working tree", "committed"])


@pytest.fixture(scope="module")
def origin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with the worked example and three commits. No test changes it."""
    root = committed_example(tmp_path_factory.mktemp("origin") / "tidewater")
    write_tree(root, {".gitattributes": "*.md text\n*.json text\n", "src/new.py": "x = 1\n"})
    commit(root, "second")
    write_tree(root, {".memory/project/decisions/0009-küste.md": "# 9. Küste 🌊\n\nThe calendar export is UTF-8.\n"})
    commit(root, "third")
    return root


@pytest.fixture(scope="module")
def expected(origin: Path) -> bytes:
    text = prompt(origin, *ASK, "--committed")
    assert "🌊".encode() in text
    assert prompt(origin, *ASK) == text
    return text


def full(origin: Path, to: Path) -> None:
    git(to.parent, "clone", "--quiet", str(origin), to.name)


def depth_one(origin: Path, to: Path) -> None:
    git(to.parent, "clone", "--quiet", "--depth", "1", f"file://{origin}", to.name)
    assert git(to, "rev-list", "--count", "HEAD").strip() == "1"


def crlf_by_configuration(origin: Path, to: Path) -> None:
    git(to.parent, "clone", "--quiet", "--config", "core.autocrlf=true", str(origin), to.name)
    assert b"\r\n" in (to / "CLAUDE.md").read_bytes()


def crlf_by_attributes(origin: Path, to: Path) -> None:
    full(origin, to)
    write_tree(to, {".git/info/attributes": "* text eol=crlf\n"})
    git(to, "rm", "--quiet", "--cached", "-r", ".")
    git(to, "reset", "--quiet", "--hard")
    assert b"\r\n" in (to / ".memory/config.yaml").read_bytes()


def squash_merged(origin: Path, to: Path) -> None:
    full(origin, to)
    git(to, "checkout", "--quiet", "-b", "other", "main~2")
    git(to, "merge", "--quiet", "--squash", "main")
    commit(to, "all of it at once")
    assert git(to, "rev-parse", "HEAD^{tree}") == git(to, "rev-parse", "main^{tree}")


def renamed_root(origin: Path, to: Path) -> None:
    before = to.parent / "before"
    full(origin, before)
    prompt(before, *ASK)
    before.rename(to)


def subfolder_of_a_larger_repository(origin: Path, to: Path) -> None:
    outer = to.parent / "outer"
    git(to.parent, "init", "--quiet", str(outer))
    write_tree(outer, {"CLAUDE.md": "not of this project\n", ".memory/config.yaml": "format: 99\n"})
    shutil.copytree(origin, outer / "packages" / "tidewater", ignore=shutil.ignore_patterns(".git", "local"))
    commit(outer, "many projects")
    to.symlink_to(outer / "packages" / "tidewater")


WAYS = [
    full,
    depth_one,
    crlf_by_configuration,
    crlf_by_attributes,
    squash_merged,
    renamed_root,
    subfolder_of_a_larger_repository,
]


@pytest.mark.sweep
@WITH
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_every_clone_of_a_commit_gives_the_same_bytes(
    way: Callable[[Path, Path], None], committed: tuple[str, ...], origin: Path, expected: bytes, tmp_path: Path
) -> None:
    clone = tmp_path / "härbour with spaces"
    way(origin, clone)

    assert prompt(clone, *ASK, *committed) == expected


@pytest.mark.sweep
@WITH
@pytest.mark.parametrize(
    "surroundings",
    [
        {"LC_ALL": "C", "PYTHONUTF8": "0"},
        {"LC_ALL": "POSIX", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
        {"LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8", "PYTHONUTF8": "1"},
        {"TZ": "Pacific/Kiritimati", "PYTHONHASHSEED": "0"},
        {"TZ": "Pacific/Marquesas", "PYTHONHASHSEED": "4294967295", "PYTHONOPTIMIZE": "2"},
        {"PYTHONIOENCODING": "latin-1", "COLUMNS": "20", "NO_COLOR": "1", "TERM": "dumb"},
    ],
    ids=lambda values: " ".join(values.values()),
)
def test_the_locale_the_time_zone_and_the_hash_seed_say_nothing(
    surroundings: dict[str, str], committed: tuple[str, ...], origin: Path, expected: bytes, tmp_path: Path
) -> None:
    full(origin, tmp_path / "clone")

    assert prompt(tmp_path / "clone", *ASK, *committed, **surroundings) == expected


@pytest.mark.vfcc("REQ-RECENT-DECISIONS")
@WITH
def test_file_times_say_nothing(committed: tuple[str, ...], origin: Path, expected: bytes, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    full(origin, clone)
    files = sorted(path for path in clone.rglob("*.md") if ".git" not in path.parts)
    for number, path in enumerate(reversed(files)):
        os.utime(path, (number * 86_400, number * 86_400))
    os.utime(files[0], (4_000_000_000, 4_000_000_000))

    assert prompt(clone, *ASK, *committed) == expected


@WITH
def test_modes_of_files_say_nothing(committed: tuple[str, ...], origin: Path, expected: bytes, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    was = os.umask(0o077)
    try:
        full(origin, clone)
        assert (clone / "CLAUDE.md").stat().st_mode & 0o777 == 0o600
        assert prompt(clone, *ASK, *committed) == expected
    finally:
        os.umask(was)


@pytest.mark.sweep
def test_the_order_of_a_directory_says_nothing(origin: Path, expected: bytes, tmp_path: Path) -> None:
    files = sorted(path for path in origin.rglob("*") if path.is_file() and not {".git", "local"} & {*path.parts})
    for turn, order in enumerate((files, files[::-1], sorted(files, key=lambda path: path.name[::-1]))):
        for path in order:
            write_tree(tmp_path / str(turn), {str(path.relative_to(origin)): path.read_bytes()})
        assert prompt(tmp_path / str(turn), *ASK) == expected


def test_what_git_does_not_carry_says_nothing(origin: Path, expected: bytes, tmp_path: Path) -> None:
    """Empty folders and the projections that the program leaves behind are on one machine only."""
    clone = tmp_path / "clone"
    full(origin, clone)
    (clone / ".memory/stage/sprint-02/testing/artifacts").mkdir(parents=True)
    (clone / ".memory/project/conventions/empty").mkdir()
    write_tree(clone / ".memory", {"sprint/sprint-02/progress.json": '{"stage": "a lie"}', "local/index.db": b"\0"})

    assert git(clone, "status", "--porcelain") == ""
    assert prompt(clone, *ASK) == expected


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-PROGRESS")
def test_a_pattern_that_names_the_projection_gives_what_the_ledger_says(origin: Path, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    full(origin, clone)
    config = "loading_strategy:\n  sprint:\n    always_load: [goals.md]\n    conditional_load: ['*.json']\n"
    write_tree(clone, {".memory/config.yaml": config})
    absent = prompt(clone, *ASK)
    write_tree(clone, {".memory/sprint/sprint-02/progress.json": '{"stage": "a lie"}'})

    assert prompt(clone, *ASK) == absent
    assert b"Active: coding. Pending: testing, validation." in absent


@pytest.mark.sweep
def test_an_edit_changes_the_prompt_but_not_the_committed_one(origin: Path, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    full(origin, clone)
    roomy = ("--agent", "coder", "--task", "write the calendar export")
    before = prompt(clone, *roomy)
    with (clone / "CLAUDE.md").open("a") as file:
        file.write("\nMind the gap.\n")
    write_tree(clone, {".memory/project/decisions/0010-new.md": "# 10. New\n\nThe calendar export is new.\n"})
    (clone / ".memory/agent/coder/tools.yaml").unlink()

    edited = vfcc(clone, "context", "show", *roomy)
    assert edited.returncode == 0
    assert b"Mind the gap" in edited.stdout
    assert b"- **10. New.** The calendar export is new.\n" in edited.stdout
    assert b"tools.yaml" not in edited.stdout
    assert prompt(clone, *roomy, "--committed") == before

    git(clone, "add", "--all")
    assert prompt(clone, *roomy, "--committed") == before
    git(clone, "commit", "--quiet", "--message", "edited")
    assert vfcc(clone, "context", "show", *roomy, "--committed").stdout == edited.stdout


@pytest.mark.sweep
def test_warm_cold_and_without_anything_local_are_the_same_bytes(origin: Path, expected: bytes, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    full(origin, clone)
    local = clone / ".memory" / "local"
    for _ in range(40):
        assert prompt(clone, *ASK) == expected
        if any(local.glob("prompts/*.json")):
            break
    else:
        pytest.fail("the prompt was never kept")
    assert prompt(clone, *ASK) == expected
    assert prompt(clone, *ASK, "--committed") == expected
    shutil.rmtree(local)
    assert prompt(clone, *ASK) == expected


def test_a_clone_in_which_nothing_can_be_kept_gives_the_same_bytes(
    origin: Path, expected: bytes, tmp_path: Path
) -> None:
    clone = tmp_path / "clone"
    full(origin, clone)
    write_tree(clone, {".memory/local": "in the way"})
    done = vfcc(clone, "context", "show", *ASK)

    assert (done.returncode, done.stdout) == (0, expected)
    assert b"nothing is cached" in done.stderr


@pytest.mark.points(1)
@pytest.mark.vfcc("REQ-INSIDE")
@pytest.mark.parametrize("names", [[b".memory", b"..", b"..", b".."], [b".memory", b"link"]], ids=["dots", "a link"])
def test_a_tree_that_git_would_not_check_out_writes_nothing_outside(
    names: list[bytes], origin: Path, tmp_path: Path
) -> None:
    """`ls-tree` lists what a forged tree holds: `..`, or a link and a folder of one name."""
    clone, outside = tmp_path / "clone", tmp_path / "in" / "outside"
    outside.mkdir(parents=True)
    full(origin, clone)
    write_tree(tmp_path, {"where": bytes(outside)})
    link = b"120000 link", git(clone, "hash-object", "-w", str(tmp_path / "where")).strip()
    blob = git(clone, "rev-parse", "HEAD:CLAUDE.md").strip()
    tree = forged(clone, (b"100644 escaped.md", blob))
    for name in reversed(names):
        tree = forged(clone, *([link] if name == b"link" else []), (b"40000 " + name, tree))
    sha = git(clone, "commit-tree", tree, "-m", "forged").strip()

    both = ("--commit", sha, "--commit", "HEAD")
    done = vfcc(clone, "context", "diff", "--agent", "coder", *both, TMPDIR=str(outside))
    assert (done.returncode, list(tmp_path.parent.rglob("escaped.md"))) == (3, [])
    assert b"which leaves the project" in done.stderr


def forged(repository: Path, *entries: tuple[bytes, str]) -> str:
    """Write a tree object of these entries, whatever their names; return its id."""
    write_tree(repository.parent, {"tree": b"".join(name + b"\0" + bytes.fromhex(sha) for name, sha in entries)})
    path = str(repository.parent / "tree")
    return git(repository, "hash-object", "-w", "--literally", "-t", "tree", path).strip()
