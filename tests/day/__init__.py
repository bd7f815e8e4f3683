"""A day of work, replayed: roles in a real client whose model is scripted, and a person at a terminal.

A test writes a day as pieces of work, one for each stage, and each as acts: `write` by the client's own tool for files,
`put` and `run` by its shell. A session of the client does them in order, and leaves each stage with
`vfcc stage advance`. Outside of the client happens only what is reserved to people, typed at a pseudo-terminal. What
the model was sent at the beginning of each stage is what the test reads: see `Opening`.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tests.cli.at_terminal import person, typed
from tests.cli.process import VFCC, git
from tests.clients.conftest import Desk
from tests.clients.model_server import serving
from tests.clients.running import run_claude, run_codex
from tests.clients.turns import MAIN, Call, Request, Say, Turn, calls
from tests.trees import write_tree
from verifflowcc.base.model.sprint_state import SprintState
from verifflowcc.base.text.own_text import BEGIN, END
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.sprint.use.sprint_reading import list_sprints, show_sprint

MARK = re.compile(r"MARK-[A-Z-]+: [^\n]*")
"""A sentence that no other artifact has."""
ADVANCE = "vfcc stage advance"


@dataclass(frozen=True, slots=True)
class Act:
    """A tool call of the agent: a shell command, or the whole text of a file at `path`.

    `before` it a person runs commands: the arguments of `vfcc` (or `git` and its own), and what is typed where it asks.
    """

    command: str = ""
    path: str = ""
    text: str = ""
    before: tuple[tuple[Sequence[str], str], ...] = ()


def run(command: str) -> Act:
    """A command in the client's shell."""
    return Act(command=command)


def write(path: str, text: str) -> Act:
    """A new file, written by the client's tool for files."""
    return Act(path=path, text=text)


def put(texts: Mapping[str, str]) -> Act:
    """Artifacts of the stage by their names, stored through the client's shell."""
    return Act(command="\n".join(f"vfcc stage put {name} --file - <<'END'\n{text}END" for name, text in texts.items()))


def asked(*arguments: str, keys: str = "y\n") -> tuple[Sequence[str], str]:
    """A command of `vfcc` that a person runs at a terminal, who types `keys` there."""
    return arguments, keys


def by_git(*arguments: str) -> tuple[Sequence[str], str]:
    """A command of git that a person runs, for what the role of the stage may not do."""
    return ("git", *arguments), ""


@dataclass(frozen=True, slots=True)
class Work:
    """What a role does in one stage; then people do theirs, and the role advances."""

    stage: str
    acts: Sequence[Act]
    people: Sequence[tuple[Sequence[str], str]] = ()
    last: str = ADVANCE

    @property
    def all_acts(self) -> Sequence[Act]:
        """The acts, and the command that leaves the stage."""
        return [*self.acts, *([Act(command=self.last, before=tuple(self.people))] if self.last else [])]


@dataclass(frozen=True, slots=True)
class Opening:
    """What the model knew when it began a stage: the newest context from vfcc in the first request there."""

    stage: str
    text: str

    def holds(self, *texts: str) -> None:
        """Assert that all of these texts are in it."""
        for text in texts:
            assert text in self.text, f"{text!r} is missing at the beginning of {self.stage}:\n{self.text}"

    def quotes(self, folder: Path, path: str) -> None:
        """Assert that an artifact's marked sentence is in it, or the artifact's name with its size."""
        found = MARK.search((folder / path).read_text(encoding="utf-8"))
        assert found, path
        if found[0] not in self.text:
            self.holds(f"{path} (")


@dataclass(frozen=True, slots=True)
class Session:
    """A session of the client: what each stage began with, and what each act resulted in."""

    openings: Mapping[str, Opening]
    results: Sequence[tuple[Act, str]]


@dataclass(slots=True)
class Day:
    """A project in git, the client that works in it, and the person whose project it is."""

    desk: Desk
    client: str
    program: Path

    @property
    def folder(self) -> Path:
        """The project's folder."""
        return self.desk.folder

    def person(self, *arguments: str, keys: str = "") -> str:
        """Run `vfcc` as the person at a terminal who types `keys`; return what it showed."""
        ran = typed(self.folder, *arguments, keys=keys, env={"HOME": str(self.desk.home), "PAGER": "cat"})
        assert ran.code == 0, ran
        return ran.out + ran.err

    def session(self, *work: Work, role: str = "", prompt: str = "Do what the stage asks for.") -> Session:
        """Let the client do pieces of work in one session; `role` is the agent's name for vfcc, if it has one."""
        acts = [(piece.stage, act) for piece in work for act in piece.all_acts]
        turns: list[Say] = [partial(self._say, act) for _, act in acts]
        env = {"VFCC_AGENT": role} if role else {}
        run_client = run_claude if self.client == "claude" else run_codex
        with serving({MAIN: [*turns, Turn("Done.")]}) as server:
            ran = run_client(self.program, self.folder, self.desk.home, server, prompt, env=env)
        requests = server.asked()
        assert (ran.code, server.left(), len(requests)) == (0, {}, len(acts) + 1), ran
        openings: dict[str, Opening] = {}
        for (stage, _), request in zip(acts, requests, strict=False):
            openings.setdefault(stage, Opening(stage, newest_brief(request)))
        results = [(act, last_result(request)) for (_, act), request in zip(acts, requests[1:], strict=True)]
        return Session(openings, results)

    def sprint(self) -> SprintState:
        """Return the state of the project's only sprint."""
        workspace = Workspace(self.folder)
        return show_sprint(workspace, list_sprints(workspace)[0].id)

    def builds_on(self, stage: str) -> list[str]:
        """Return the paths of the artifacts of the stages that a stage uses and, if that is earlier, of its pair."""
        state = self.sprint()
        ids = [each.stage.id for each in state.stages]
        found = next(each.stage for each in state.stages if each.stage.id == stage)
        names = dict.fromkeys([*found.uses, *([found.pair] if found.pair in ids[: ids.index(stage)] else [])])
        folders = [self.folder / artifact(state.id, name, "") for name in names]
        return [path.relative_to(self.folder).as_posix() for folder in folders for path in sorted(folder.iterdir())]

    def _say(self, act: Act, request: Request) -> Turn:
        for arguments, keys in act.before:
            if arguments[0] == "git":
                git(self.folder, *arguments[1:])
            else:
                self.person(*arguments, keys=keys)
        return self._turn(act)

    def _turn(self, act: Act) -> Turn:
        if self.client == "claude":
            if act.command:
                return calls("Bash", command=act.command, description="work")
            return calls("Write", file_path=str(self.folder / act.path), content=act.text)
        if act.command:
            return calls("exec_command", cmd=act.command)
        lines = "".join(f"+{line}\n" for line in act.text.splitlines())
        return Turn(calls=(Call("apply_patch", f"*** Begin Patch\n*** Add File: {act.path}\n{lines}*** End Patch\n"),))


def artifact(sprint: str, stage: str, name: str) -> str:
    """Return where an artifact is kept, relative to the project's folder."""
    return f".memory/stage/{sprint}/{stage}/artifacts/{name}"


def a_day(desk: Desk, client: str, program: Path, files: Mapping[str, str], *, workflow: str, config: str) -> Day:
    """Make a repository of `files` whose person set vfcc up for the client, and committed all of it."""
    day = Day(desk, client, program)
    write_tree(day.folder, files)
    # Codex runs commands in a login shell, whose PATH is that of the person's profile.
    (desk.home / ".profile").write_text(f'export PATH="{VFCC.parent}:$PATH"\n', encoding="utf-8")
    git(day.folder, "init", "--quiet", "--initial-branch", "main")
    person(day.folder, "Pat")
    git(day.folder, "config", "user.email", "pat@example.org")
    day.person("init", "--yes", "--workflow", workflow)
    (day.folder / ".memory/config.yaml").write_text(f"format: 1\nworkflow: {workflow}\n{config}", encoding="utf-8")
    day.person("integrate", "--hooks", client)
    git(day.folder, "add", "--all")
    git(day.folder, "commit", "--quiet", "--message", "greetings, with vfcc")
    return day


def newest_brief(request: Request) -> str:
    """Return the last text that vfcc put between its marks in what the model was sent; empty where there is none."""
    found = [text for _, text in request.texts() if BEGIN in text]
    return found[-1][found[-1].rindex(BEGIN) :].partition(END)[0] if found else ""


def last_result(request: Request) -> str:
    """Return the result of the newest tool call in a request."""
    results = [text for role, text in request.texts() if role == "tool"]
    return results[-1] if results else ""
