"""What a version of vfcc allows in the project of version 0.1, as one answer for each thing that is tried.

A key is `hook PLACE ROLE CALL`, `command ACTOR NAME` or a fact of the project (`stage SPRINT STAGE`). `recorded()` is
what version 0.1 answers; `Tried` asks the program that it is given.
"""

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path
from typing import Any

from tests import forked
from tests.cli.process import PATIENCE_S, Ran, drain, environment
from tests.upgrade_calls import CALLS, COMMANDS
from tests.upgraded_world import FIXTURE, OPEN, PEOPLE, unpacked

Answers = dict[str, str]
Start = Callable[[Sequence[str], Path, Mapping[str, str], tuple[int, int, int]], forked.Process]
ROLES = ("-", "coder", "planner", "reviewer", "integrator")
"""The roles that are tried in each sprint; `-` is an agent that names none, `integrator` has no tools.yaml."""
MORE_ROLES = ("analyst", "architect", "designer", "tester", "stakeholder", "researcher")
ALL, NONE = "all", "none"
PLACES = (
    *product(OPEN, ROLES),
    *product(["polite-greetings"], MORE_ROLES),
    *product([ALL, NONE, "all+polite-greetings"], ("-", "coder", "planner")),
)
"""Where calls are made: a sprint that is open alone, all of them, or none; `all+ID` has `VFCC_SPRINT=ID`."""
QUICK = (("polite-greetings", "-"), (ALL, "-"))
ACTORS: dict[str, dict[str, str]] = {"agent": {"VFCC_AGENT": "coder"}, "program": {}, "ci": {"CI": "1"}, "person": {}}
_WHO = ("needs a person", "takes a person", "only a person", "person at a terminal", "a person runs", "a person does")
_THREADS, _TRIES = 3, 10


def recorded() -> Answers:
    """Return what version 0.1 answers."""
    read: dict[str, dict[str, list[str]]] = json.loads((FIXTURE / "allowed.json").read_text(encoding="utf-8"))
    return {
        f"{group} {rest}".strip(): answer for group, found in read.items() for answer in found for rest in found[answer]
    }


class Tried:
    """A program in the project of 0.1: `start` starts it, `folder` is where projects are unpacked.

    `prepare` gets the root of each project before anything is tried there, but for commands.
    """

    def __init__(
        self,
        folder: Path,
        start: Start = forked.start,
        path: str | None = None,
        prepare: Callable[[Path], object] = lambda root: None,
    ) -> None:
        self.folder, self._start, self._path, self.prepare = folder, start, path, prepare

    def hooks(self, places: Iterable[tuple[str, str]], calls: Mapping[str, Any] = CALLS) -> Answers:
        """Return the decision on each call in each place: allow, deny or ask."""
        found: Answers = {}
        by_world: dict[str, list[str]] = {}
        unpacked(self.folder / "first")  # the copies share what is made once, and threads must not make it twice
        for place, role in places:
            by_world.setdefault(place, []).append(role)
        with ThreadPoolExecutor(_THREADS) as pool:
            for each in pool.map(lambda item: self._world(item[0], item[1], calls), by_world.items()):
                found |= each
        return found

    def _world(self, place: str, roles: Iterable[str], calls: Mapping[str, Any]) -> Answers:
        world, _, chosen = place.partition("+")
        home = self.folder / f"hooks-{place}"
        root = unpacked(home, {ALL: list(OPEN), NONE: []}.get(world, [world]))
        self.prepare(root)
        sprint = chosen or (world if world in OPEN else "polite-greetings")
        found = {}
        for role, name in product(roles, calls):
            more = {} if role == "-" else {"VFCC_AGENT": role}
            more |= {"VFCC_SPRINT": chosen} if chosen else {}
            text = json.dumps({"hook_event_name": "PreToolUse", "session_id": f"s-{role}", "prompt_id": "p1",
                               "cwd": str(root), **calls[name]})  # fmt: skip
            text = text.replace("{sprint}", sprint).replace("{stage}", OPEN[sprint][1])
            found[f"hook {place} {role} {name}"] = self._decision(root, more, text)
        return found

    def _decision(self, root: Path, env: Mapping[str, str], text: str) -> str:
        """Return the decision on a call. A hook that is late allows it, so it is asked again on a busy machine."""
        faults = root / ".memory/local/hook-errors.jsonl"
        for _ in range(_TRIES):
            before = faults.stat().st_size if faults.exists() else 0
            ran = self.run(root, ("hook", "claude"), env, given=text)
            after = faults.read_bytes()[before:] if faults.exists() else b""
            if b"took longer than" not in after:
                assert ran.code == 0, ran
                answer = json.loads(ran.out) if ran.out.strip() else {}
                return str(answer.get("hookSpecificOutput", {}).get("permissionDecision", "allow"))
        raise AssertionError(f"the hook was late {_TRIES} times: {text}")

    def commands(self, names: Iterable[str] = COMMANDS, actors: Iterable[str] = ACTORS) -> Answers:
        """Return how each command ends for each actor, in a project of its own."""
        unpacked(self.folder / "first")
        with ThreadPoolExecutor(_THREADS) as pool:
            return dict(pool.map(self._command, product(actors, names)))

    def _command(self, case: tuple[str, str]) -> tuple[str, str]:
        actor, name = case
        world = name.partition("@")[2]
        root = unpacked(self.folder / f"{actor}-{name}".replace(" ", "-"), [world] if world else None)
        ran = self.run(root, COMMANDS[name], ACTORS[actor], terminal=actor == "person")
        return f"command {actor} {name}", _ending(ran)

    def run(
        self,
        root: Path,
        arguments: Sequence[str],
        env: Mapping[str, str] | None = None,
        *,
        given: str = "",
        terminal: bool = False,
    ) -> Ran:
        """Run the program: as Bo, who answers yes at a terminal, or with `given` on stdin."""
        names = {f"GIT_{role}_NAME": "Bo Lind" for role in ("AUTHOR", "COMMITTER")}
        mails = {f"GIT_{role}_EMAIL": PEOPLE["Bo Lind"] for role in ("AUTHOR", "COMMITTER")}
        path = {"PATH": self._path} if self._path else {}
        full = environment(root.parent, **names, **mails, **path, **(env or {}))
        (out, out_side), (err, err_side) = (os.openpty(), os.openpty()) if terminal else (os.pipe(), os.pipe())
        inner, outer = (err_side, err) if terminal else os.pipe()
        try:
            process = self._start(arguments, root, full, (inner, out_side, err_side))
        finally:
            for handle in {inner, out_side, err_side}:
                os.close(handle)
        os.write(outer, b"y\n" * 3 if terminal else given.encode())
        if not terminal:
            os.close(outer)
        texts = drain((out, err))
        return Ran(process.wait(PATIENCE_S), *(text.decode("utf-8", "replace") for text in texts))


def _ending(ran: Ran) -> str:
    """Say how a command ended: done, its exit code, or that it was refused to the one who asked."""
    assert "Traceback" not in ran.err, ran
    if ran.code in (3, 4) and any(words in ran.err for words in _WHO):
        return "refused"
    return f"exit {ran.code}" if ran.code else "done"


def facts(tried: Tried) -> Answers:
    """Return what the program reads in the project: sprints, stages, criteria, trace and memory."""
    root = unpacked(tried.folder / "facts")
    tried.prepare(root)
    return dict(_facts(tried, root))


def _facts(tried: Tried, root: Path) -> Iterator[tuple[str, str]]:
    def shown(*arguments: str) -> Any:
        ran = tried.run(root, (*arguments, "--json", "--full"), ACTORS["program"])
        assert ran.out, ran
        value = json.loads(ran.out)
        return value["data"] if "ok" in value else value  # version 0.1 prints the data alone

    for each in shown("sprint", "list"):
        name = each["id"]
        yield f"sprint {name}", f"{each['status']} {each['current'] or '-'}"
        for stage in shown("sprint", "show", name)["stages"]:
            yield f"stage {name} {stage['stage']['id']}", stage["status"]
        for stage in OPEN.get(name, ())[1:]:
            for one in shown("check", "gate", stage, "--sprint", name)["exit"]["assessments"]:
                yield (
                    f"criterion {name} {stage} {one['criterion']['id']}",
                    f"{one['verdict']} {one['criterion']['mode']}",
                )
    found = Counter(
        f"trace {each['code']} {each['severity']}" for each in shown("check", "trace")["report"]["findings"]
    )
    yield from ((key, str(count)) for key, count in sorted(found.items()))
    for row in shown("memory", "list", "--all")["rows"]:
        yield f"memory {row['scope']} {row['item']['id']}", f"{row['item']['type']} {row['status']}"
    with (root / ".memory/config.yaml").open("a", encoding="utf-8") as config:
        config.write("# a protected file changes\n")
    for name, (_, stage) in OPEN.items():
        for one in shown("check", "gate", stage, "--sprint", name)["exit"]["assessments"]:
            if one["criterion"]["id"] == "rules":
                yield f"changed config {name} {stage} rules", f"{one['verdict']} {one['criterion']['mode']}"


def prompts(tried: Tried) -> dict[str, str]:
    """Return the prompt of each role in each open sprint."""
    root = unpacked(tried.folder / "prompts")
    found = {}
    for sprint, role in product(OPEN, (*ROLES[1:], *MORE_ROLES)):
        ran = tried.run(root, ("context", "show", "--agent", role, "--sprint", sprint), ACTORS["program"])
        found[f"{sprint}/{role}"] = ran.out if ran.code == 0 else f"exit {ran.code}: {ran.err}"
    return found
