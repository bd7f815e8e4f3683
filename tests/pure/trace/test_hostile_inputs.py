"""Whatever a foreign file holds, an importer reads it or refuses it with a sentence: it never crashes nor hangs."""

import json
import time
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.figures import report
from tests.hostile_inputs import variant
from tests.pure.trace.test_import_csv import TABLE
from tests.pure.trace.test_import_markdown import TEXT as MARKDOWN
from tests.pure.trace.test_import_needs import whole
from tests.pure.trace.test_import_oft import TEXT as OFT
from tests.pure.trace.test_import_sdoc import NEW, OLD
from tests.session_world import SESSION, as_lines, claude_session, codex_session
from tests.tiers import count, percent
from verifflowcc.base.errors import VfccError
from verifflowcc.base.formats.event_bytes import parse_event
from verifflowcc.base.formats.session_lines import CallLines
from verifflowcc.base.model.baseline_rules import read_baseline_file
from verifflowcc.base.model.gate_values import BaselineKind
from verifflowcc.history.rules.claude_calls import ClaudeCalls
from verifflowcc.history.rules.codex_calls import CodexCalls
from verifflowcc.items.rules.item_older import read_rows
from verifflowcc.memory.rules.conversation import read_turns
from verifflowcc.sprint.rules.cobertura import measure_coverage
from verifflowcc.sprint.rules.evidence_files import parse_evidence
from verifflowcc.sprint.rules.junit_tests import measure_junit, read_tests
from verifflowcc.sprint.rules.metric_json import measure_metrics
from verifflowcc.sprint.rules.sarif import measure_lint, measure_sarif
from verifflowcc.trace.rules.import_markdown import read_markdown
from verifflowcc.trace.rules.import_needs import read_csv, read_needs
from verifflowcc.trace.rules.import_oft import read_oft
from verifflowcc.trace.rules.import_sdoc import read_sdoc
from verifflowcc.trace.store.foreign_files import read_doorstop_tree
from verifflowcc.trace.store.reqif import read_reqif

SEEDS = Path(__file__).parents[2] / "fixtures" / "hostile-seeds.json"
"""Seeds that once made an importer crash, or take too long, by its name; they are tried each time."""

INPUTS = 200
LONGEST_CPU_S = 20
"""No measure of speed: what takes so long for 400 KB takes more than its size."""

CLAUDE = b"".join(as_lines(claude_session()))
CODEX = b"".join(as_lines(codex_session()))
DIALOGUE = b"# Session 1 (2026-11-02)\n\nYou: From now on, always write tests first.\n\nAgent: Yes.\n"
FAILED = b'<testcase name="c"><failure message="x"/></testcase>'
JUNIT = b'<testsuite name="s" tests="2"><testcase classname="a" name="b"/>%s</testsuite>' % FAILED
LINE = b'<line number="1" hits="1" branch="true" condition-coverage="50% (1/2)"/>'
CLASS = b'<class name="c" filename="src/a.py"><lines>%s</lines></class>' % LINE
COBERTURA = b'<coverage><packages><package name="p"><classes>%s</classes></package></packages></coverage>' % CLASS
SARIF = json.dumps(
    {
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": {"name": "lint", "rules": [{"id": "R1"}]}},
                "results": [{"ruleId": "R1", "level": "error", "message": {"text": "bad"}, "baselineState": "new"}],
            }
        ],
    }
).encode()
GOLDEN = Path(__file__).parents[2] / "golden" / "events"
EVENTS = [(GOLDEN / f"{name}.json").read_bytes() for name in ("sprint_started", "evidence_added", "stage_passed")]
REQIF = b"""<?xml version="1.0" encoding="UTF-8"?>
<REQ-IF xmlns="http://www.omg.org/spec/ReqIF/20110401/reqif.xsd"><CORE-CONTENT><REQ-IF-CONTENT><SPEC-OBJECTS>
<SPEC-OBJECT IDENTIFIER="o1"><TYPE><SPEC-OBJECT-TYPE-REF>t1</SPEC-OBJECT-TYPE-REF></TYPE></SPEC-OBJECT></SPEC-OBJECTS>
</REQ-IF-CONTENT></CORE-CONTENT></REQ-IF>
"""
DOORSTOP = b"""\
active: true
derived: false
header: Door
level: 1.1
links:
- SYS001: abc
normative: true
ref: ''
text: |
  It shall open.
"""
PATHS = frozenset({"src/a.py"})
TURN = b'{"role": "user", "content": "a"}'
LISTED = b'{"format": 1, "kind": "baseline"}'


def _text(read: Callable[[str], object]) -> Callable[[bytes, Path], object]:
    """Read bytes as the importers do that take text: what is not UTF-8 was refused before."""

    def of(data: bytes, _: Path) -> object:
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = data.decode("utf-8", "replace")
        return read(text)

    return of


def _bytes(read: Callable[[bytes], object]) -> Callable[[bytes, Path], object]:
    return lambda data, _: read(data)


def _calls(reader: ClaudeCalls | CodexCalls, data: bytes) -> object:
    return list(reader.read(CallLines("x.jsonl", data.splitlines(keepends=True))))


def _reqif(data: bytes, folder: Path) -> object:
    (folder / "a.reqif").write_bytes(data)
    return read_reqif(folder / "a.reqif", "a.reqif")


def _doorstop(data: bytes, folder: Path) -> object:
    (folder / ".doorstop.yml").write_text("settings:\n  digits: 3\n  prefix: REQ\n  sep: ''\n", encoding="utf-8")
    (folder / "REQ001.yml").write_bytes(data)
    return read_doorstop_tree(folder, lambda path: path.name)


IMPORTERS: Mapping[str, tuple[Callable[[bytes, Path], object], tuple[bytes, ...]]] = {
    "csv": (_text(lambda text: read_csv("a.csv", text)), (TABLE.encode(),)),
    "markdown": (_text(lambda text: read_markdown([("a.md", text)])), (MARKDOWN.encode(),)),
    "needs": (_text(lambda text: read_needs("needs.json", text)), (whole().encode(),)),
    "oft": (_text(lambda text: read_oft([("a.md", text)])), (OFT.encode(),)),
    "sdoc": (_text(lambda text: read_sdoc([("a.sdoc", text)])), (NEW.encode(), OLD.encode())),
    "doorstop": (_doorstop, (DOORSTOP,)),
    "reqif": (_reqif, (REQIF,)),
    "items": (_bytes(lambda data: read_rows(data, "a.jsonl")), (b'{"content": "It closes."}\n', b'[{"text": "a"}]')),
    "turns": (
        _bytes(lambda data: read_turns(data, "a")),
        (CLAUDE, CODEX, DIALOGUE, TURN),
    ),
    "claude session": (_bytes(lambda data: _calls(ClaudeCalls(SESSION), data)), (CLAUDE,)),
    "codex session": (_bytes(lambda data: _calls(CodexCalls(SESSION), data)), (CODEX,)),
    "junit": (_bytes(lambda data: measure_junit(data, known=None)), (JUNIT,)),
    "junit tests": (_bytes(read_tests), (JUNIT,)),
    "cobertura": (
        _bytes(
            lambda data: measure_coverage(data, paths=frozenset({"src/a.py"}), files=(), changed={"src/a.py": None})
        ),
        (COBERTURA,),
    ),
    "sarif": (_bytes(measure_sarif), (SARIF,)),
    "lint": (_text(measure_lint), (b"src/a.py:3:7: E1 too long\nsrc/a.cs(3,7): error\n",)),
    "metric": (_bytes(measure_metrics), (b'{"time": {"p95_ms": 12.5}}',)),
    "baseline": (
        _bytes(lambda data: read_baseline_file(data, BaselineKind.TESTS)),
        (LISTED,),
    ),
    "event": (_bytes(lambda data: parse_event(data, None)), tuple(EVENTS)),
    "evidence": (_bytes(lambda data: parse_evidence(data, "x")), (b'{"v":1,"id":"x","run":null}\n',)),
}


def tried(name: str, seed: int, folder: Path) -> str:
    """Give an importer a variant; return how it ended."""
    read, samples = IMPORTERS[name]
    data = variant(samples, seed)
    started = time.process_time()
    try:
        read(data, folder)
        ended = "read"
    except VfccError as refused:
        ended = "refused" if str(refused) else "refused without a word"
    assert time.process_time() - started < LONGEST_CPU_S, (name, seed)
    return ended


@pytest.mark.law
@pytest.mark.parametrize("name", IMPORTERS)
def test_a_hostile_input_is_read_or_refused(tmp_path: Path, name: str) -> None:
    if name == "reqif":
        pytest.importorskip("reqif")
    saved = json.loads(SEEDS.read_text("utf-8")).get(name, [])
    ends = Counter(tried(name, seed, tmp_path) for seed in [*saved, *range(count(INPUTS))])

    if percent() >= 100:
        report("hostile inputs", importer=name, **ends)
    assert ends.total() >= count(INPUTS)
    assert set(ends) <= {"read", "refused"}


def test_variants_are_hostile_and_the_same_each_time() -> None:
    made = [variant((JUNIT,), seed) for seed in range(50)]

    assert made == [variant((JUNIT,), seed) for seed in range(50)]
    assert len({*made}) > 45
    assert made.count(JUNIT) < 3
