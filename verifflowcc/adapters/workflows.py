"""Workflows from YAML: the shipped ones and a project's own, strictly checked.

The shipped ones are `templates/workflows/<name>.yaml`; `.memory/workflow.yaml`, where there is one, adds the project's
own under the `name` that it gives itself.
"""

from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path

from verifflowcc.adapters.config.read import read_small
from verifflowcc.adapters.config.yaml_values import Lines, Loc, load_yaml
from verifflowcc.adapters.shipped import templates_folder
from verifflowcc.domain.workflows import Leg, Stage, Workflow
from verifflowcc.errors import ConfigError, UsageError, WorkspaceError
from verifflowcc.formats.events_payload import is_stage_id
from verifflowcc.text.digest import digest_text
from verifflowcc.text.near import nearest
from verifflowcc.text.slug import is_slug

OWN = "workflow.yaml"
_TOP = ("name", "title", "stages")
_STAGE = ("id", "title", "leg", "pair", "role", "artifacts")


def load_workflow(memory: Path, name: str) -> Workflow:
    """Return the workflow called `name`, the project's own or a shipped one.

    Raises UsageError for a name that no workflow has, and ConfigError, with file, line and reason, for a bad file.
    """
    own = _own(memory)
    shipped = {path.stem: path for path in sorted((templates_folder() / "workflows").glob("*.yaml"))}
    if own and own.name in shipped:
        raise ConfigError((f"{OWN}:1: {own.name} is the name of a shipped workflow; give it another",))
    if own and own.name == name:
        return own
    if name not in shipped:
        known = sorted([*shipped, *([own.name] if own else [])])
        near = nearest(name, known)
        if near:
            raise UsageError(f"there is no workflow {name}; did you mean {near}?", hint=f"--workflow {near}")
        raise UsageError(f"there is no workflow {name}; there is {', '.join(known)}")
    return parse_workflow(_bytes(shipped[name]), f"workflows/{name}.yaml")


def parse_workflow(data: bytes, file: str) -> Workflow:
    """Return the workflow in a file's bytes. Raises ConfigError with every problem, each as `file:line: reason`."""
    value, lines = load_yaml(data, file)
    reader = _Reader(file, lines)
    top = reader.mapping(value, (), _TOP)
    stages = tuple(reader.stages(top.get("stages")))
    name, title = reader.text(top, "name", ()), reader.text(top, "title", ())
    if name and not is_slug(name):
        reader.wrong(("name",), f"name {name!r} must be lower-case letters, digits and -")
    if not reader.problems:
        reader.check_v(stages)
    if reader.problems:
        raise ConfigError(tuple(reader.problems))
    return Workflow(name, title, stages, digest_text(data))


class _Reader:
    """Collects problems while it reads, so that one run tells all of them."""

    def __init__(self, file: str, lines: Lines) -> None:
        self.problems: list[str] = []
        self._file = file
        self._lines = lines

    def wrong(self, place: Loc, reason: str) -> None:
        """Note a problem at the line of `place`, or of the nearest thing around it."""
        while place and place not in self._lines:
            place = place[:-1]
        self.problems.append(f"{self._file}:{self._lines.get(place, 1)}: {reason}")

    def mapping(self, value: object, place: Loc, known: tuple[str, ...]) -> Mapping[str, object]:
        if not isinstance(value, Mapping):
            self.wrong(place, f"a mapping with {', '.join(known)} is expected")
            return {}
        for key in value:
            if key not in known:
                near = nearest(str(key), known)
                self.wrong(
                    (*place, str(key)),
                    f"unknown key {key}; " + (f"did you mean {near}?" if near else f"known are {', '.join(known)}"),
                )
        for key in known:
            if key not in value:
                self.wrong(place, f"{key} is missing")
        return value

    def text(self, record: Mapping[str, object], key: str, place: Loc) -> str:
        value = record.get(key)
        if isinstance(value, str) and value.strip():
            return value
        if key in record:
            self.wrong((*place, key), f"{key} must be text")
        return ""

    def stages(self, value: object) -> Iterator[Stage]:
        if not isinstance(value, list) or not value:
            self.wrong(("stages",), "stages must be a list of at least one stage")
            return
        for index, each in enumerate(value):
            yield self.stage(each, ("stages", index))

    def stage(self, value: object, place: Loc) -> Stage:
        record = self.mapping(value, place, _STAGE)
        name, leg = self.text(record, "id", place), self.text(record, "leg", place)
        if name and not is_stage_id(name):
            self.wrong(
                (*place, "id"), f"id {name!r} must be lower-case letters, digits, _ and -, beginning with a letter"
            )
        if leg and leg not in list(Leg):
            self.wrong((*place, "leg"), f"leg {leg!r} must be left, apex or right")
        pair = None if record.get("pair") is None else self.text(record, "pair", place)
        side = Leg(leg) if leg in list(Leg) else Leg.APEX
        title, role = self.text(record, "title", place), self.text(record, "role", place)
        return Stage(name, title, side, pair, role, self.patterns(record, place))

    def patterns(self, record: Mapping[str, object], place: Loc) -> tuple[str, ...]:
        value = record.get("artifacts", [])
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            self.wrong((*place, "artifacts"), "artifacts must be a list of file names or patterns")
            return ()
        for index, each in enumerate(value):
            parts = str(each).split("/")
            if "\\" in each or any(part in ("", ".", "..") or part.startswith(".") for part in parts):
                self.wrong(
                    (*place, "artifacts", index), f"artifact {each!r} must be a path below artifacts/, none hidden"
                )
        return tuple(value)

    def check_v(self, stages: tuple[Stage, ...]) -> None:
        """Check that the stages make a V: left legs, one apex, right legs, with pairs that answer one another."""
        place = {stage.id: index for index, stage in reversed(list(enumerate(stages)))}
        twice = [index for index, stage in enumerate(stages) if place[stage.id] != index]
        for index in twice:
            self.wrong(("stages", index, "id"), f"the id {stages[index].id} is used twice")
        if twice:
            return
        apexes = [index for index, stage in enumerate(stages) if stage.leg is Leg.APEX]
        if len(apexes) != 1:
            self.wrong(("stages",), f"a V has one stage with leg: apex, not {len(apexes)}")
            return
        for index, stage in enumerate(stages):
            at: Loc = ("stages", index)
            if (index > apexes[0] and stage.leg is Leg.LEFT) or (index < apexes[0] and stage.leg is Leg.RIGHT):
                self.wrong(
                    (*at, "leg"), f"{stage.id} is on the {stage.leg} leg, on the wrong side of {stages[apexes[0]].id}"
                )
            self.check_pair(stage, stages, (*at, "pair"))
        self.check_nesting(stages, place)

    def check_pair(self, stage: Stage, stages: tuple[Stage, ...], at: Loc) -> None:
        answer = next((each for each in stages if each.id == stage.pair), None)
        if stage.leg is Leg.APEX and stage.pair:
            self.wrong(at, f"{stage.id} is the apex and has no pair")
        elif stage.leg is Leg.LEFT and not stage.pair:
            self.wrong(at, f"{stage.id} is on the left leg and needs the pair that answers it")
        elif stage.pair and answer is None:
            self.wrong(at, f"the pair {stage.pair} of {stage.id} is no stage")
        elif answer and (answer.pair != stage.id or {stage.leg, answer.leg} != {Leg.LEFT, Leg.RIGHT}):
            self.wrong(at, f"{stage.id} and {answer.id} are no pair: each must name the other, on the other leg")

    def check_nesting(self, stages: tuple[Stage, ...], place: Mapping[str, int]) -> None:
        if self.problems:
            return
        answers = [(stage, place[stage.pair]) for stage in stages if stage.leg is Leg.LEFT and stage.pair]
        for (outer, late), (inner, early) in pairwise(answers):
            if early > late:
                reason = f"{inner.id} comes after {outer.id}, so its pair must come before {outer.pair}"
                self.wrong(("stages", place[inner.id], "pair"), reason)


def _own(memory: Path) -> Workflow | None:
    data = read_small(memory / OWN, OWN, inside=memory.parent)
    return None if data is None else parse_workflow(data, OWN)


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise WorkspaceError(f"cannot read {path}: {error.strerror or error}") from error
