"""What a version of vfcc allows in the project of version 0.1, as one answer for each thing that is tried.

A key is `hook PLACE ROLE CALL`, `command ACTOR NAME` or a fact of the project (`stage SPRINT STAGE`). `recorded()` is
what version 0.1 answers; `Tried` asks the program that it is given.
"""

import json
import os
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
_THREADS = 3


def recorded() -> Answers:
    """Return what version 0.1 answers."""
    read: dict[str, dict[str, list[str]]] = json.loads((FIXTURE / "allowed.json").read_text(encoding="utf-8"))
    return {f"{group} {rest}": answer for group, found in read.items() for answer in found for rest in found[answer]}


class Tried:
    """A program in the project of 0.1: `start` starts it, `folder` is where projects are unpacked."""

    def __init__(self, folder: Path, start: Start = forked.start, path: str | None = None) -> None:
        self.folder, self._start, self._path = folder, start, path

    def hooks(self, places: Iterable[tuple[str, str]], calls: Mapping[str, Any] = CALLS) -> Answers:
        """Return the decision on each call in each place: allow, deny or ask."""
        found: Answers = {}
        by_world: dict[str, list[str]] = {}
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
        sprint = chosen or (world if world in OPEN else "polite-greetings")
        found = {}
        for role, name in product(roles, calls):
            more = {} if role == "-" else {"VFCC_AGENT": role}
            more |= {"VFCC_SPRINT": chosen} if chosen else {}
            text = json.dumps({"hook_event_name": "PreToolUse", "session_id": f"s-{role}", "prompt_id": "p1",
                               "cwd": str(root), **calls[name]})  # fmt: skip
            text = text.replace("{sprint}", sprint).replace("{stage}", OPEN[sprint][1])
            ran = self.run(root, ("hook", "claude"), more, given=text)
            found[f"hook {place} {role} {name}"] = _decision(ran)
        return found

    def commands(self, names: Iterable[str] = COMMANDS, actors: Iterable[str] = ACTORS) -> Answers:
        """Return how each command ends for each actor, in a project of its own."""
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


def _decision(ran: Ran) -> str:
    assert ran.code == 0, ran
    answer = json.loads(ran.out) if ran.out.strip() else {}
    return str(answer.get("hookSpecificOutput", {}).get("permissionDecision", "allow"))


def _ending(ran: Ran) -> str:
    """Say how a command ended: done, its exit code, or that it was refused to the one who asked."""
    assert "Traceback" not in ran.err, ran
    if ran.code in (3, 4) and any(words in ran.err for words in _WHO):
        return "refused"
    return f"exit {ran.code}" if ran.code else "done"


def facts(tried: Tried) -> Answers:
    """Return what the program reads in the project: sprints, stages, criteria, trace and memory."""
    return dict(_facts(tried, unpacked(tried.folder / "facts")))


def _facts(tried: Tried, root: Path) -> Iterator[tuple[str, str]]:
    def shown(*arguments: str) -> Any:
        ran = tried.run(root, (*arguments, "--json"), ACTORS["program"])
        assert ran.out, ran
        return json.loads(ran.out)

    for each in shown("sprint", "list")["sprints"]:
        name = each["id"]
        yield f"sprint {name}", f"{each['status']} {each.get('stage') or each.get('current') or '-'}"
        for stage in shown("sprint", "show", name)["stages"]:
            yield f"stage {name} {stage['id']}", stage["status"]
            if name in OPEN:
                for one in shown("check", "gate", stage["id"], "--sprint", name)["criteria"]:
                    words = one.get("status") or one["verdict"]
                    yield f"criterion {name} {stage['id']} {one['id']}", f"{words} {one['mode']}"
    yield from _read(shown)


def _read(shown: Callable[..., Any]) -> Iterator[tuple[str, str]]:
    trace = shown("check", "trace")
    for family, counts in sorted(_counts(trace).items()):
        yield f"trace {family}", counts
    for item in shown("memory", "list", "--all")["items"]:
        yield f"memory {item['scope']} {item['id']}", f"{item['type']} {item['status']}"


def _counts(trace: Mapping[str, Any]) -> dict[str, str]:
    found: dict[str, int] = {}
    for each in trace["findings"]:
        key = f"{each['check']} {each['severity']}"
        found[key] = found.get(key, 0) + 1
    return {key: str(count) for key, count in found.items()}
