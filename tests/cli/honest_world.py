"""A project in git whose sprint asks for one thing at a time, and the page that says what vfcc does when it is cheated.

`docs/explanation/honesty.md` holds what is expected: each row of its tables has an anchor, and the test of that name
reads the row. So the page and the tests cannot say different things.
"""

import json
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.cli.process import CI, Ran, git, vfcc
from tests.cli.trees import everything
from tests.made_once import copied
from tests.trees import write_tree

ID = "log-in"
YOU, OTHER = "human:You", "human:Other"
PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "honesty.md"
EVENTS = f".memory/sprint/{ID}/events"
PLAN = f".memory/stage/{ID}/plan/artifacts/plan.md"
CHANGES = f".memory/stage/{ID}/build/artifacts/changes.md"
RESULTS = f".memory/stage/{ID}/check/artifacts/results.md"
PYTHON = [sys.executable, "-B"]
SUITE = """\
import shutil
import sys
from pathlib import Path

def test_add(): ...
def test_sub(): ...

for source, target in zip(("tests/junit.xml", "tests/coverage.xml"), sys.argv[1:]):
    shutil.copyfile(source, target)
sys.exit(int(Path("tests/exit").read_text()))
"""
TEST: Mapping[str, object] = {"run": [*PYTHON, "tests/suite.py", "{junit}", "{coverage}"]}
BUILD: Mapping[str, object] = {"run": [*PYTHON, "-c", "print('built')"]}
ADD = '<testcase classname="tests.suite" name="test_add"/>'
SUB = '<testcase classname="tests.suite" name="test_sub"/>'
SUB_FAILED = '<testcase classname="tests.suite" name="test_sub"><failure message="2 is not 1"/></testcase>'
JUNIT = f'<testsuite name="suite" tests="2">{ADD}{SUB}</testsuite>'
TESTS = "{id: tests, kind: junit, title: the tests pass, command: test}"
BUILT = "{id: built, kind: command, title: it builds, command: build}"
REVIEWED = "{id: reviewed, kind: review, title: somebody else approved it}"
COVERED = "{id: covered, kind: coverage, title: enough is covered, command: test, at_least: {line: 80}}"
PROSE = "# Plan\n\nA form that lets people in.\n"


def cobertura(file: str = "src/calc.py", lines: str = '<line number="1" hits="1"/>') -> str:
    """A coverage report about one file."""
    return (
        f'<coverage><packages><package name="p"><classes><class name="c" filename="{file}"><lines>{lines}'
        "</lines></class></classes></package></packages></coverage>"
    )


TOOLS = "version: 2\ntools: [read, search, edit, run, git-read, git-write, vfcc, mcp]\n"
TREE: Mapping[str, str] = {
    "src/calc.py": "def add(a, b): return a + b\n",
    "tests/suite.py": SUITE,
    "tests/junit.xml": JUNIT,
    "tests/coverage.xml": cobertura(),
    "tests/exit": "0",
    ".memory/.gitignore": "local/\nsprint/*/progress.json\n.vfcc-*.tmp\n",
    PLAN: PROSE,
    **{f".memory/agent/{role}/tools.yaml": TOOLS for role in ("planner", "coder", "tester")},
}


def workflow(*criteria: str, gates: str = "hard", enter: str = "", build: str = "", strict: bool = False) -> str:
    """Three stages with hard gates: `plan` asks for its artifact and for `criteria`, `build` and `check` for theirs."""
    asked = "".join(f"\n      - {each}" for each in criteria)
    return (
        f"name: own\ntitle: Own\ngates: {gates}\nstrict: {str(strict).lower()}\nstages:\n"
        '  - id: plan\n    title: Plan\n    leg: left\n    pair: check\n    role: planner\n    artifacts: ["plan.*"]\n'
        + (f"    exit:{asked}\n" if asked else "")
        + '  - id: build\n    title: Build\n    leg: apex\n    role: coder\n    artifacts: ["changes.*"]\n'
        + (f"    enter:\n      - {enter}\n" if enter else "")
        + (f"    exit:\n      - {build}\n" if build else "")
        + "  - id: check\n    title: Check\n    leg: right\n    pair: plan\n    role: tester\n"
        + '    artifacts: ["results.*"]\n'
    )


def config(**commands: object) -> str:
    """The text of a `config.yaml` with the commands `test` and `build`, and those given; JSON is YAML."""
    table = {"test": TEST, "build": BUILD} | commands
    named = {name: one for name, one in table.items() if one}
    return json.dumps({"format": 1, "workflow": "own", "gates": {"commands": named}})


def project(
    folder: Path, *criteria: str, files: Mapping[str, str] | None = None, flow: str = "", **commands: object
) -> Path:
    """A project with the sprint `log-in` in `plan`, its commands allowed, and everything committed by `You`.

    The sprint began before `files` were there; projects that differ in them alone are copies of one.
    """
    root = copied(folder, _begun, flow or workflow(*criteria), config(**commands))
    if files:
        write_tree(root, files)
        commit(root)
    return root


def _begun(folder: Path, flow: str, settings: str) -> Path:
    texts = {".memory/workflow.yaml": flow, ".memory/config.yaml": settings}
    root = write_tree(folder / "project", {**TREE, **texts})
    git(root, "init", "--quiet", "--initial-branch", "main")
    commit(root)
    done(root, "sprint", "start", "Log in")
    done(root, "allow", "--yes", env=CI)
    commit(root)
    return root


def commit(root: Path, author: str = "You", message: str = "work") -> None:
    """Commit everything as written by `author`."""
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--allow-empty", "-m", message, "--author", f"{author} <{author}@example.org>")


def done(root: Path, *arguments: str, env: Mapping[str, str] | None = None) -> str:
    """Run a command that must succeed; return what it printed."""
    ran = vfcc(root, *arguments, env=env)
    assert ran.code == 0, ran
    return ran.out


def tried(root: Path, *arguments: str) -> Ran:
    """Run a command of which the test does not say how it ends."""
    return vfcc(root, *arguments)


def events(root: Path) -> list[Path]:
    """The sprint's event files, oldest first."""
    return sorted((root / EVENTS).glob("*.json"))


def evidence(root: Path) -> list[Path]:
    """The sprint's evidence files, oldest first."""
    return sorted(root.glob(f".memory/stage/{ID}/*/evidence/*.json"))


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the page: what vfcc says (`…` stands for anything), and each command that finds it with its exit code.

    The sentence is that of the first command.
    """

    anchor: str
    says: str
    found_by: Mapping[str, int]

    def said_in(self, text: str) -> bool:
        """Whether the sentence stands in a text, however its lines are broken."""
        pattern = ".*?".join(re.escape(part) for part in " ".join(self.says.split()).split("…"))
        return re.search(pattern, " ".join(text.split())) is not None


COMMANDS: Mapping[str, tuple[str, ...]] = {
    "gate": ("check", "gate"),
    "advance": ("stage", "advance"),
    "rerun": ("check", "--rerun"),
    "doctor": ("doctor",),
    "close": ("sprint", "close"),
    "start": ("sprint", "start", "Another"),
    "run": ("evidence", "run"),
    "stale": ("evidence", "stale"),
}
_ROW = re.compile(r'^\| <a id="([a-z0-9-]+)"></a>[^|]+\| `([^`|]+)` \| (\d|–) \| ([^|]+) \|$', re.MULTILINE)
_STEP = re.compile(
    r"^(?:hint: |next: |to do: | *→ )\S|^ +(?:vfcc|git) |: ignore what it writes in .gitignore, or narrow its inputs",
    re.MULTILINE,
)
"""How the one thing to do is told: a hint, the way on, or a command on a line of its own."""
_FINDER = re.compile(r"([a-z]+)(?: \((\d)\))?")


def rows() -> dict[str, Row]:
    """The rows of the page, by anchor."""
    found = {}
    for anchor, says, code, finders in _ROW.findall(PAGE.read_text(encoding="utf-8")):
        by = {name: int(own or (0 if code == "–" else code)) for name, own in _FINDER.findall(finders)}
        found[anchor] = Row(anchor, says, by)
    return found


def kept(root: Path) -> dict[str, str | bytes]:
    """All that the ledger and its stages hold: what is below `.memory/`, but for what is derived."""
    return {path: data for path, data in everything(root).items() if path.startswith(".memory/")}


def refused(anchor: str, root: Path, **others: tuple[str, ...]) -> None:
    """Assert all that the page says of a row, and that no file of the ledger was touched.

    `others` are the words of commands that are not in `COMMANDS`, or that differ here.
    """
    row = rows()[anchor]
    before = kept(root)
    asked = [name for name in row.found_by if name != "git"]
    for place, name in enumerate(asked):
        ran = vfcc(root, *(others.get(name) or COMMANDS[name]))
        shown(row, ran, row.found_by[name], first=place == 0)
        assert kept(root) == before, name


def shown(row: Row, ran: Ran, code: int, *, first: bool = True) -> None:
    """Assert that a command refused as the row says: its code, its sentence, and one thing to do."""
    assert code != 0
    assert ran.code == code, ran
    text = ran.out + ran.err
    assert "Traceback" not in text, ran
    if first:
        assert row.said_in(text), (row.says, ran)
    assert _STEP.search(text), ran


def unseen(anchor: str, root: Path, *names: str) -> None:
    """Assert that these commands see nothing, as the page says by not naming them."""
    row = rows()[anchor]
    for name in names:
        assert name not in row.found_by
        ran = vfcc(root, *COMMANDS[name])
        assert ran.code == 0, (name, ran)


def edited(path: Path, was: str, now: str) -> None:
    """Replace a text in a file that holds it."""
    text = path.read_text(encoding="utf-8")
    assert was in text, text
    path.write_text(text.replace(was, now), encoding="utf-8")
