"""A small project whose code the commands of `vfcc code` are asked about: several languages, in git."""

from pathlib import Path

from tests.cli.process import git, vfcc
from tests.trees import write_memory, write_tree

BASE = '''\
"""Gauges of all kinds."""

LIMIT = 400


class Gauge:
    """Measures water."""

    def read(self) -> int:
        return clamp(self.raw())

    def raw(self) -> int:
        raise NotImplementedError


def clamp(value: int) -> int:
    """Keep a water level below the limit."""
    return min(value, LIMIT)
'''
STATION = '''\
from gauges.base import Gauge, clamp as bounded


class Station(Gauge):
    """A station at the shore."""

    def raw(self) -> int:
        return 7

    def alarm(self, level: int) -> bool:
        """Say whether the tide is above the gate."""
        return bounded(level) > self.read()


def close_gate(station: Station) -> str:
    if station.alarm(3):
        return "closed"
    return "open"
'''
REPORT = """\
import gauges.station as st
from gauges import base


def summary(level):
    return st.close_gate(st.Station()) + str(base.clamp(level))


def guess(thing):
    return thing.alarm(1)
"""
TEST = """\
from gauges.station import Station


def test_alarm():
    assert not Station().alarm(1)
"""
TS = """\
import { Level } from "./level";

export class Chart extends Level {
  draw(width: number): string {
    return this.label() + width;
  }
}
"""
LEVEL = """\
export class Level {
  label(): string {
    return "m";
  }
}
"""
GO = """\
package pump

type Pump struct{ Rate int }

func (p *Pump) Start() int { return clampRate(p.Rate) }

func clampRate(rate int) int { return rate }
"""
GO_TWIN = """\
package pump

func Boost() int { return clampRate(2) }
"""
LUA = "function valve() return 1 end\n"
TOKEN = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
SECRET = f'''\
def upload_readings(rows):
    token = "{TOKEN}"
    return send(rows, token)


def send(rows, token="{TOKEN}"):
    return len(rows)
'''
TWIN = "def summary(rows):\n    return len(rows)\n"
NEED = "---\nid: NEED-SHORE\ntype: need\ntitle: The shore stays dry\n---\nDry.\n"
REQ = (
    "---\nid: REQ-ALARM\ntype: requirement\ntitle: Alarm above the gate\nverification: test\n"
    "links:\n  - {to: NEED-SHORE, relation: refines}\n---\nThe station shall alarm.\n"
)
MARKED = """\
import pytest

from gauges.station import Station


@pytest.mark.vfcc("REQ-ALARM")
def test_alarm():
    assert not Station().alarm(1)
"""
FACT = (
    f"---\nid: brass\ntype: fact\ntitle: The bell is brass {TOKEN}\n"
    "refs: [{path: gauges/station.py, symbol: Station.alarm}]\n---\nIt rings.\n"
)
WHOLE = "---\nid: whole\ntype: fact\ntitle: All of it is old\nrefs: [{path: gauges/station.py}]\n---\nSo.\n"
ITEMS = {"need/NEED-SHORE": NEED, "requirement/REQ-ALARM": REQ, "fact/brass": FACT, "fact/whole": WHOLE}
FILES = {
    "gauges/__init__.py": "",
    "gauges/base.py": BASE,
    "gauges/station.py": STATION,
    "reports/__init__.py": "",
    "reports/text.py": REPORT,
    "reports/base.py": TWIN,
    "tests/test_station.py": TEST,
    "web/chart.ts": TS,
    "web/level.ts": LEVEL,
    "pump/pump.go": GO,
    "pump/boost.go": GO_TWIN,
    "valve.lua": LUA,
    "upload.py": SECRET,
    "README.md": "# Gauges\n",
}


def made(root: Path) -> Path:
    """Put the code beside what `vfcc init` made in `root`, and commit all of it."""
    write_tree(root, FILES)
    git(root, "init", "-q", "-b", "main")
    commit(root)
    return root


def touched(root: Path) -> Path:
    """Add a need, a requirement that a line and a test name, and two memories that speak of a file and a symbol."""
    write_memory(root, {f"project/items/{name}.md": text for name, text in ITEMS.items()})
    marked = STATION.replace("    def alarm(", "    # vfcc: REQ-ALARM\n    def alarm(")
    return write_tree(root, {"tests/test_station.py": MARKED, "gauges/station.py": marked})


def commit(root: Path) -> None:
    """Commit everything in `root`."""
    git(root, "add", "-A")
    git(root, "commit", "-qm", "more")


def clone(root: Path, to: Path) -> Path:
    """Clone a project to a folder."""
    git(root, "clone", "-q", str(root), str(to))
    return to


def asked(root: Path, *words: str) -> dict[str, object]:
    """Return what `vfcc code …` answers with `--json`; it must succeed and say nothing beside it."""
    ran = vfcc(root, "code", *words, "--json", "--full")
    assert (ran.code, ran.err) == (0, ""), ran
    return dict(ran.data)


def told(root: Path, *words: str) -> str:
    """Return what `vfcc code …` prints; it must succeed and say nothing beside it."""
    ran = vfcc(root, "code", *words)
    assert (ran.code, ran.err) == (0, ""), ran
    return ran.out
