"""Runs of a change's tests on variants of its content, each in the scratch tree, none twice."""

import os
import shutil
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from verifflowcc.base.files.write import DerivedFile
from verifflowcc.base.git.git_versions import TreeFile
from verifflowcc.base.git.work_tree import object_id
from verifflowcc.base.process.clock import step
from verifflowcc.base.records import dataclass, field, replace
from verifflowcc.base.text.canonical import canonical, digest_bytes
from verifflowcc.base.text.record_codec import RecordCodec
from verifflowcc.gates.rules.hunks import RunSelection, TestFile
from verifflowcc.gates.rules.run_outcomes import RunResult, RunText
from verifflowcc.gates.rules.runners import Runner, argv_for, prints_results, read_run
from verifflowcc.gates.store.scratch_tree import Scratch, run_in_scratch

_VERSION = 1
_OUTCOMES = DerivedFile("*.json", 2, keyed_by="the digest of what decides a run", most=5_000)
_RUN: RecordCodec[RunText] = RecordCodec(RunText)
_SLOWER = 4
"""A run without the change may take so many times as long as the one with it, and a minute more: it may hang."""
_MARGIN_S = 60
_VARIABLES = ("PYTHONPATH", "PYTEST_ADDOPTS", "GOFLAGS", "NODE_OPTIONS", "RUSTFLAGS")
"""Variables that decide what a command does."""

_KEPT_OUTPUT = 20_000
NO_RUN_LEFT = "no run was left"
"""The problem of a run that did not begin: it would be beyond the limits, and its outcome is not known yet."""


@dataclass(frozen=True, slots=True)
class Setup:
    """How tests are run: the command, the framework, the folder below the tree, and Python's roots there.

    `known` are the names and lines of all tests in the files of wanted ones.
    """

    argv: tuple[str, ...]
    runner: Runner
    folder: str
    roots: tuple[str, ...]
    modules: tuple[str, ...]
    is_product: Callable[[str], bool]
    known: Mapping[str, Mapping[str, int]] = field(default_factory=dict)


@dataclass(slots=True)
class ProofLimits:
    """What a proof may cost: until when (seconds of the monotonic clock) runs may begin, how many are left."""

    until: float
    runs: int
    spent: int = 0

    def allow(self) -> bool:
        """Say whether one more run may begin."""
        return self.spent < self.runs and time.monotonic() < self.until


@dataclass(slots=True)
class Trials:
    """Runs the tests `wanted` on variants of the content `files`. Outcomes are kept in `cache` and taken from there.

    Of what ran, the tests in `only` count, where it is given.
    """

    scratch: Scratch
    setup: Setup
    files: Mapping[str, TreeFile]
    wanted: tuple[TestFile, ...]
    limits: ProofLimits
    cache: Path | None
    timeout_s: int = 1800
    runs: int = 0
    only: frozenset[str] | None = None

    def run(self, changed: Mapping[str, bytes | TreeFile | None] | None = None) -> RunResult:
        """Run the tests with the paths in `changed` as given there, None for absent ones; paths are from `folder`.

        The first run always begins. Raises WorkspaceError where the tree cannot be made.
        """
        files, made = self._content(changed or {})
        key = self._key(files)
        file = self.cache / f"{key.removeprefix('sha256:')}.json" if self.cache else None
        kept = _OUTCOMES.read(file) if file else None
        if kept is not None:
            return self._read(_RUN.made(kept))
        if self.runs and not self.limits.allow():
            return RunResult(problem=NO_RUN_LEFT)
        self.scratch.become(files, made)
        self.limits.spent += 1
        self.runs += 1
        argv = argv_for(self.setup.runner, self.setup.argv, self._selection)
        orders = {
            "wanted": {each.path: list(each.names) for each in self.wanted},
            "modules": list(self.setup.modules),
        }
        with step(f"run {self.runs}"):
            done = run_in_scratch(
                self.scratch, self.setup.folder, argv, self.timeout_s, roots=self.setup.roots, orders=orders
            )
        here = f"{self.scratch.tree}{os.sep}"  # what is inside of it is named as it is in the repository
        output = done.ran.output.decode("utf-8", "replace")
        report = output if prints_results(self.setup.runner) else done.report
        text = RunText(
            report.replace(here, ""),
            output[-_KEPT_OUTPUT:].replace(here, ""),
            done.ran.exit_code,
            done.ran.failure,
            done.ran.duration_ms,
        )
        if file and not done.ran.failure:  # a run that was cut off may go well the next time
            _OUTCOMES.write(file, _RUN.plain(text))
        return self._read(text)

    def expect(self, run: RunResult) -> None:
        """Bound further runs by how long one took."""
        self.timeout_s = min(self.timeout_s, run.duration_ms * _SLOWER // 1000 + _MARGIN_S)

    def _read(self, text: RunText) -> RunResult:
        found = read_run(self.setup.runner, text, self._selection, is_product=self.setup.is_product)
        return self.chosen(found)

    @property
    def _selection(self) -> RunSelection:
        return RunSelection(self.wanted, self.setup.known)

    def chosen(self, run: RunResult) -> RunResult:
        """Return a run with the outcomes that count."""
        if self.only is None:
            return run
        return replace(run, outcomes={test: each for test, each in run.outcomes.items() if test in self.only})

    def _content(self, changed: Mapping[str, bytes | TreeFile | None]) -> tuple[dict[str, TreeFile], dict[str, bytes]]:
        files, made = dict(self.files), {}
        for path, value in changed.items():
            full = f"{self.setup.folder}/{path}" if self.setup.folder else path
            if value is None:
                files.pop(full, None)
            elif isinstance(value, bytes):
                made[full] = value
                files[full] = TreeFile(self.files[full].mode, object_id(value, 40))
            else:
                files[full] = value
        return files, made

    def _key(self, files: Mapping[str, TreeFile]) -> str:
        tree = digest_bytes(
            "".join(f"{path}\0{file.mode}\0{file.blob}\n" for path, file in sorted(files.items())).encode(
                "utf-8", "surrogateescape"
            )
        )
        wanted = [[each.path, *each.names] for each in self.wanted]
        return digest_bytes(
            canonical(
                [
                    _VERSION,
                    tree,
                    list(self.setup.argv),
                    self.setup.folder,
                    list(self.setup.roots),
                    wanted,
                    list(self.setup.modules),
                    environment_id(self.setup.argv),
                ]
            )
        )


def environment_id(argv: Sequence[str]) -> str:
    """Return a text that changes when the program, or what is installed beside it, does."""
    program = shutil.which(argv[0]) or argv[0]
    place = Path(program).parent.parent
    sites = (*sorted(place.glob("lib/python*/site-packages")), place / ".package-lock.json")  # in `node_modules`
    stamps = [f"{each}:{each.stat().st_mtime_ns}" for each in (Path(program), *sites) if each.exists()]
    return "\0".join([*stamps, *(os.environ.get(name, "") for name in _VARIABLES), sys.platform])
