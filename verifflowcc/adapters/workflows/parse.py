"""A workflow's YAML → a workflow, or every problem in it."""

from collections.abc import Mapping

from verifflowcc.adapters.config.yaml_values import read_yaml
from verifflowcc.adapters.workflows.check_v import check_v
from verifflowcc.adapters.workflows.read_stage import read_stage
from verifflowcc.adapters.workflows.read_trace import read_trace
from verifflowcc.adapters.workflows.reader import Reader, Record
from verifflowcc.domain.gates import Mode
from verifflowcc.domain.sprints import Leg, Stage, Workflow
from verifflowcc.domain.trace_codes import TracePolicy
from verifflowcc.errors import ConfigError
from verifflowcc.text.canonical import digest_text
from verifflowcc.text.slug import is_slug

_KEYS = ("name", "title", "gates", "strict", "trace", "stages")
MOST_STAGES = 50


def parse(data: bytes, file: str) -> Workflow:
    """Return the workflow in a file's bytes. Raises ConfigError with every problem, each as `file:line: reason`."""
    plain = read_yaml(data, file, exact=True)
    reader = Reader(file, plain.lines, plain.problems)
    top = reader.record(plain.value, (), _KEYS, ("name", "title", "stages"))
    name = reader.named(top, "name", (), _name_problem) or ""
    title = reader.text(top, "title", ()) or ""
    mode = Mode(reader.choice(top, "gates", (), [each.value for each in Mode]) or Mode.HARD)
    strict = reader.flag(top, "strict", (), default=False)
    trace = read_trace(reader, top)
    stages = _stages(reader, top, mode, trace)
    if reader.problems:
        raise ConfigError(reader.problems)
    return Workflow(name, title, stages, digest_text(data), mode, strict, trace)


def _stages(reader: Reader, top: Record, mode: Mode, trace: TracePolicy) -> tuple[Stage, ...]:
    value = top.get("stages")
    if not isinstance(value, list) or not 0 < len(value) <= MOST_STAGES:
        if "stages" in top:
            reader.wrong(("stages",), f"stages must be a list of 1 to {MOST_STAGES} stages")
        return ()
    found: list[Stage] = []
    for index, each in enumerate(value):
        found.append(read_stage(reader, each, ("stages", index), mode, found, trace))
    if all(isinstance(each, Mapping) and each.get("leg") in list(Leg) for each in value):
        check_v(reader, found)
    return tuple(found)


def _name_problem(name: str) -> str | None:
    return None if is_slug(name) else "must be lower-case letters, digits and -"
