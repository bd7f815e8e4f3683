"""The section `trace` of a workflow: item types, relations, what each type needs, and how much each finding weighs."""

import re
from collections.abc import Callable, Collection, Mapping

from verifflowcc.base.config.yaml_values import AmbiguousScalar, Lines, Loc
from verifflowcc.base.model.item_values import MEMORY_RELATIONS
from verifflowcc.base.model.item_values import TYPES as ITEM_TYPES
from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.model.trace_codes import (
    CHECKS,
    DEFAULT_POLICY,
    ItemRule,
    Need,
    RelationRule,
    TracePolicy,
    policy_to_json,
)
from verifflowcc.base.model.trace_values import Family, Severity
from verifflowcc.base.records import replace
from verifflowcc.base.text.canonical import canonical, digest_bytes
from verifflowcc.base.text.glob import inputs_problem, name_problem, pattern_fault
from verifflowcc.base.text.plain_words import nearest

# Typed reading of a workflow's YAML that notes every problem, with its line, and goes on.

LONGEST_TEXT = 300
Record = Mapping[str, object]


class Reader:
    """Reads values at places in one file; `problems` are sentences that begin with `file:line:`."""

    def __init__(self, file: str, lines: Lines, problems: Collection[str] = ()) -> None:
        self._found: list[tuple[int, str]] = [(int(each.split(":", 2)[1]), each) for each in problems]
        self._file = file
        self._lines = lines

    @property
    def problems(self) -> tuple[str, ...]:
        """What was wrong so far, each thing once, in the order of the lines."""
        return tuple(dict.fromkeys(problem for _, problem in sorted(self._found, key=lambda one: one[0])))

    def wrong(self, place: Loc, reason: str) -> None:
        """Note a problem at the line of `place`, or of the nearest thing around it."""
        while place and place not in self._lines:
            place = place[:-1]
        line = self._lines.get(place, 1)
        self._found.append((line, f"{self._file}:{line}: {reason}"))

    def record(self, value: object, place: Loc, known: Collection[str], needed: Collection[str] = ()) -> Record:
        """Return a mapping; note keys that are unknown or missing. Empty where the value is no mapping."""
        if not isinstance(value, Mapping):
            self.wrong(place, f"a mapping with {', '.join(known)} is expected, not {shown(value)}")
            return {}
        for key in value:
            if key not in known:
                self.wrong((*place, key), f"unknown key {key}; {self.ask(key, known)}")
        for key in needed:
            if key not in value:
                self.wrong(place, f"{key} is missing")
        return value

    def text(self, record: Record, key: str, place: Loc) -> str | None:
        """Return a text that is not blank; None where the key is not there, or is not one (which is noted)."""
        if key not in record:
            return None
        value = record[key]
        if isinstance(value, str) and value.strip():
            if not value.isprintable():
                self.wrong((*place, key), f"{key} holds a control character")
            elif len(value) > LONGEST_TEXT:
                self.wrong((*place, key), f"{key} is longer than {LONGEST_TEXT} characters")
            return value
        self.wrong((*place, key), f"{key} must be text, not {shown(value)}")
        return None

    def named(self, record: Record, key: str, place: Loc, problem: Callable[[str], str | None]) -> str | None:
        """Return a text with which `problem` finds nothing wrong."""
        value = self.text(record, key, place)
        found = problem(value) if value else None
        if found:
            self.wrong((*place, key), f"{key} {value!r} {found}")
        return None if found else value

    def choice(self, record: Record, key: str, place: Loc, options: Collection[str]) -> str | None:
        """Return one of `options`; None where the key is not there, or is none of them (which is noted)."""
        if key not in record:
            return None
        value = record[key]
        if isinstance(value, AmbiguousScalar) and value.text in options:
            return value.text
        if isinstance(value, str) and value in options:
            return value
        near = nearest(value, options) if isinstance(value, str) else None
        also = f"; did you mean {near}?" if near else ""
        self.wrong((*place, key), f"{key} must be one of {', '.join(options)}, not {shown(value)}{also}")
        return None

    def flag(self, record: Record, key: str, place: Loc, default: bool) -> bool:
        """Return true or false."""
        value = record.get(key, default)
        if isinstance(value, bool):
            return value
        self.wrong((*place, key), f"{key} must be true or false, not {shown(value)}")
        return default

    def whole(self, record: Record, key: str, place: Loc, least: int, most: int) -> int | None:
        """Return a whole number in a range."""
        value = record.get(key)
        if isinstance(value, int) and not isinstance(value, bool) and least <= value <= most:
            return value
        if key in record:
            self.wrong((*place, key), f"{key} must be a whole number from {least} to {most:,}, not {shown(value)}")
        return None

    def texts(
        self, record: Record, key: str, place: Loc, problem: Callable[[str], str | None] = lambda _: None
    ) -> tuple[str, ...]:
        """Return a list of texts with which `problem` finds nothing wrong; what is wrong is left out."""
        value = record.get(key, [])
        if not isinstance(value, list):
            self.wrong((*place, key), f"{key} must be a list, not {shown(value)}")
            return ()
        found = []
        for index, each in enumerate(value):
            at: Loc = (*place, key, index)
            if not isinstance(each, str) or not each.strip():
                self.wrong(at, f"an item of {key} must be text, not {shown(each)}")
            elif not each.isprintable():
                self.wrong(at, f"an item of {key} holds a control character")
            elif each in found:
                self.wrong(at, f"{key} names {each} twice")
            elif reason := problem(each):
                self.wrong(at, f"{key}: {each!r} {reason}")
            else:
                found.append(each)
        return tuple(found)

    @staticmethod
    def ask(name: str, known: Collection[str]) -> str:
        """Return the nearest name as a question, else all names."""
        near = nearest(name, known)
        return f"did you mean {near}?" if near else f"known are {', '.join(known)}"


def shown(value: object) -> str:
    """Return a value as it may stand in a sentence."""
    if isinstance(value, AmbiguousScalar):
        return f"{value.text} (YAML reads it as {value.reading}; {value.advice})"
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f'"{value[:40]}"' if value.isprintable() else "a text with control characters"
    if isinstance(value, list):
        return "a list"
    return "a mapping" if isinstance(value, Mapping) else str(value)


_KEYS = ("types", "relations", "needs", "severity", "integrity", "tests", "code", "id_pattern")
_TYPE_KEYS = ("prefix", "level", "root", "fields", "verified", "requires")
_RELATION_KEYS = ("from", "to", "upward")
_NEED_KEYS = ("id", "of", "by", "from", "at_least", "code", "or_tests", "title")
_PREFIX = lazy_pattern(r"[A-Z][A-Z0-9_]{0,19}")
_AT: Loc = ("trace",)
LOWEST_LEVEL = 99
MOST_ANSWERS = 100
MEMORY_TYPES = frozenset(name for name, each in ITEM_TYPES.items() if not each.trace)
FAMILIES = tuple(str(each) for each in Family)


def read_trace(reader: Reader, top: Record) -> TracePolicy:
    """Return what a workflow asks of the trace: the defaults, changed by its section `trace` where it has one."""
    if "trace" not in top:
        return DEFAULT_POLICY
    record = reader.record(top["trace"], _AT, _KEYS)
    types = _types(reader, record)
    relations = _relations(reader, record, types)
    policy = TracePolicy(
        types,
        relations,
        _needs(reader, record, types, relations),
        _id_pattern(reader, record),
        reader.texts(record, "integrity", _AT),
        reader.texts(record, "code", _AT, inputs_problem),
        _tests(reader, record),
        _severities(reader, record),
    )
    return replace(policy, digest=digest_bytes(canonical(policy_to_json(policy))))


def check_problem(policy: TracePolicy) -> Callable[[str], str | None]:
    """Return what says why a text names no trace check: no family, no code, no need of the policy."""
    needs = tuple(each.id for each in policy.needs)
    known = (*FAMILIES, *CHECKS, *needs)

    def problem(name: str) -> str | None:
        if name in known:
            return None
        near = nearest(name, known)
        listed = f"families are {', '.join(FAMILIES)}" + (f"; needs are {', '.join(needs)}" if needs else "")
        return f"is no trace check; {f'did you mean {near}?' if near else listed}"

    return problem


def type_problem(types: Collection[str]) -> Callable[[str], str | None]:
    """Return what says why a text names no type of trace items."""
    return lambda name: None if name in types else f"is no type of trace items; {Reader.ask(name, types)}"


def _types(reader: Reader, record: Record) -> Mapping[str, ItemRule]:
    found = dict(DEFAULT_POLICY.types)
    for name, value in _mapping(reader, record, "types").items():
        at: Loc = (*_AT, "types", name)
        fault = name_problem(name)
        if fault or name in MEMORY_TYPES:
            reader.wrong(at, f"the type {name!r} {fault or 'is a type of the memory; give it another name'}")
            continue
        stated = reader.record(value, at, _TYPE_KEYS)
        before = found.get(name, ItemRule(name, re.sub(r"[^A-Z0-9]", "", name.upper())[:20]))
        found[name] = ItemRule(
            name,
            reader.named(stated, "prefix", at, _prefix_problem) or before.prefix,
            _level(reader, stated, at, before.level),
            reader.flag(stated, "root", at, default=before.root),
            reader.texts(stated, "fields", at, name_problem) if "fields" in stated else before.fields,
            reader.flag(stated, "verified", at, default=before.verified),
            reader.texts(stated, "requires", at) if "requires" in stated else before.requires,
        )
    return found


def _level(reader: Reader, record: Record, place: Loc, default: int | None) -> int | None:
    if "level" not in record:
        return default
    return None if record["level"] is None else reader.whole(record, "level", place, 0, LOWEST_LEVEL)


def _prefix_problem(prefix: str) -> str | None:
    return None if _PREFIX.fullmatch(prefix) else "must be capital letters, digits and _, beginning with a letter"


def _relations(reader: Reader, record: Record, types: Mapping[str, ItemRule]) -> Mapping[str, RelationRule]:
    found = dict(DEFAULT_POLICY.relations)
    for name, value in _mapping(reader, record, "relations").items():
        at: Loc = (*_AT, "relations", name)
        fault = name_problem(name)
        if fault or name in MEMORY_RELATIONS:
            reader.wrong(at, f"the relation {name!r} {fault or 'is one of the memory; give it another name'}")
            continue
        before = found.get(name)
        stated = reader.record(value, at, _RELATION_KEYS, () if before else ("from", "to"))
        ends = {
            key: _some(reader, stated, key, at, types) if key in stated else known
            for key, known in (
                ("from", before.from_types if before else ()),
                ("to", before.to_types if before else ()),
            )
        }
        upward = reader.flag(stated, "upward", at, default=before.upward if before else True)
        found[name] = RelationRule(name, ends["from"], ends["to"], upward)
    return found


def _needs(
    reader: Reader, record: Record, types: Mapping[str, ItemRule], relations: Mapping[str, RelationRule]
) -> tuple[Need, ...]:
    value = record.get("needs", [])
    if not isinstance(value, list):
        reader.wrong((*_AT, "needs"), f"needs must be a list, not {shown(value)}")
        return ()
    found: list[Need] = []
    for index, each in enumerate(value):
        at: Loc = (*_AT, "needs", index)
        need = _need(reader, each, at, types, relations)
        if need.id and need.id in {one.id for one in found}:
            reader.wrong((*at, "id"), f"the need {need.id} appears twice")
        found.append(need)
    return tuple(found)


def _need(
    reader: Reader, value: object, place: Loc, types: Mapping[str, ItemRule], relations: Mapping[str, RelationRule]
) -> Need:
    stated = reader.record(value, place, _NEED_KEYS, ("id", "of"))
    need = Need(
        reader.named(stated, "id", place, _need_problem) or "",
        _some(reader, stated, "of", place, types),
        reader.texts(stated, "by", place, _relation_problem(relations)),
        reader.texts(stated, "from", place, type_problem(types)),
        reader.whole(stated, "at_least", place, 1, MOST_ANSWERS) or 1,
        reader.flag(stated, "code", place, default=False),
        reader.flag(stated, "or_tests", place, default=False),
        reader.text(stated, "title", place) or "",
    )
    if not isinstance(value, Mapping):
        return need
    if not {"by", "from"} & set(stated) and not (need.code or need.or_tests):
        reader.wrong(place, "nothing can answer this need: it has neither `by` and `from`, nor code, nor or_tests")
    elif ("by" in stated) != ("from" in stated):
        reader.wrong(place, "`by` (relations) and `from` (types) belong together")
    elif need.by and need.from_types:
        _check_ways(reader, need, place, relations)
    return need


def _check_ways(reader: Reader, need: Need, place: Loc, relations: Mapping[str, RelationRule]) -> None:
    """Note types that no relation of the need leads to from where the need wants it."""
    rules = [relations[name] for name in need.by]
    for kind in need.of:
        if not any(kind in rule.to_types and set(need.from_types) & set(rule.from_types) for rule in rules):
            ways = f"{' or '.join(need.by)} from {' or '.join(need.from_types)}"
            reader.wrong((*place, "of"), f"no {kind} can have what this need asks for: nothing leads to it by {ways}")


def _need_problem(name: str) -> str | None:
    if name in CHECKS or name in FAMILIES:
        return "is the name of a trace check; a need has a name of its own"
    return name_problem(name)


def _relation_problem(relations: Collection[str]) -> Callable[[str], str | None]:
    return lambda name: None if name in relations else f"is no relation of the trace; {Reader.ask(name, relations)}"


def _severities(reader: Reader, record: Record) -> Mapping[str, Severity]:
    found = {}
    stated = _mapping(reader, record, "severity")
    for code in stated:
        if code not in CHECKS:
            reader.wrong((*_AT, "severity", code), f"unknown trace check {code}; {_nearest_code(code)}")
        elif weight := reader.choice(stated, code, (*_AT, "severity"), [each.value for each in Severity]):
            found[code] = Severity(weight)
    return found


def _nearest_code(code: str) -> str:
    near = nearest(code, CHECKS)
    return f"did you mean {near}?" if near else "docs/reference/workflows.md lists them"


def _tests(reader: Reader, record: Record) -> tuple[str, ...]:
    found = reader.texts(record, "tests", _AT, inputs_problem)
    if record.get("tests") == []:
        reader.wrong((*_AT, "tests"), "tests names nothing, so no file would be one of tests; leave it out")
    return found if "tests" in record else DEFAULT_POLICY.tests


def _id_pattern(reader: Reader, record: Record) -> str:
    pattern = reader.named(record, "id_pattern", _AT, _id_pattern_problem)
    return pattern or DEFAULT_POLICY.id_pattern


def _id_pattern_problem(pattern: str) -> str | None:
    if fault := pattern_fault(pattern):
        return f"cannot be used: {fault}"
    if re.fullmatch(pattern, ""):
        return "fits an empty id"
    return "fits an id with a /, which names no file" if re.fullmatch(pattern, "a/b") else None


def _some(reader: Reader, record: Record, key: str, place: Loc, types: Mapping[str, ItemRule]) -> tuple[str, ...]:
    found = reader.texts(record, key, place, type_problem(types))
    if record.get(key) == []:
        reader.wrong((*place, key), f"{key} names no type")
    return found


def _mapping(reader: Reader, record: Record, key: str) -> Record:
    value = record.get(key, {})
    if isinstance(value, Mapping):
        return value
    reader.wrong((*_AT, key), f"{key} must be a mapping, not {shown(value)}")
    return {}
