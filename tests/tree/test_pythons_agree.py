"""Every Python reads the same in the same files.

The facts of a small corpus are committed, so that whichever Python runs the tests is compared with all others. Where a
second interpreter is on the machine, it reads the same files beside this one: the one that `VFCC_OTHER_PYTHON` names,
else another version of those on the path. `VFCC_CORPUS` names a folder of more files for the two to read.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import verifflowcc
from tests.parsed_facts import digests_of, facts_below

ROOT = Path(verifflowcc.__file__).parents[1]
CORPUS = ROOT / "tests" / "fixtures" / "parsed"
GOLDEN = CORPUS.with_suffix(".json")
NAMES = ("python3.11", "python3.12", "python3.13", "python3.14", "python3", "/usr/bin/python3")
VERSION = "import sys; print(*sys.version_info[:3])"


def differences(one: object, other: object, where: str = "") -> Iterator[str]:
    """Yield each place in which two trees of facts differ, with both values."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in sorted({*one, *other}):
            yield from differences(one.get(key), other.get(key), f"{where} {key}:")
    elif isinstance(one, list) and isinstance(other, list):
        yield from (f"{where} only the first has {each!r}" for each in one if each not in other)
        yield from (f"{where} only the second has {each!r}" for each in other if each not in one)
        if one != other and sorted(map(repr, one)) == sorted(map(repr, other)):
            yield f"{where} the order differs"
        elif one != other and all(each in other for each in one) and all(each in one for each in other):
            yield f"{where} {one!r} is not {other!r}"
    elif one != other:
        yield f"{where} {one!r} is not {other!r}"


def version(python: str) -> tuple[int, ...]:
    """Return an interpreter's version; () where it does not run."""
    ran = subprocess.run([python, "-c", VERSION], capture_output=True, text=True, check=False)
    return tuple(map(int, ran.stdout.split())) if ran.returncode == 0 else ()


@pytest.fixture(scope="module")
def other() -> str:
    """A second interpreter of another version."""
    named = os.environ.get("VFCC_OTHER_PYTHON")
    if named:
        return named
    for name in NAMES:
        found = shutil.which(name)
        if found and (3, 11) <= version(found) != sys.version_info[:3]:
            return found
    pytest.skip("no second Python is on the path, nor named by VFCC_OTHER_PYTHON")


def read_by(python: str, folder: Path, *options: str) -> object:
    """Return what another interpreter reads below a folder."""
    command = [python, "-B", str(ROOT / "tests" / "parsed_facts.py"), *options, str(folder)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"}
    ran = subprocess.run(command, capture_output=True, check=False, env=environment)
    assert ran.returncode == 0, ran.stderr.decode()
    return json.loads(ran.stdout)


def test_this_python_reads_in_the_corpus_what_is_committed() -> None:
    committed = json.loads(GOLDEN.read_text("utf-8"))

    assert list(differences(committed, json.loads(json.dumps(facts_below(CORPUS))))) == []


@pytest.mark.sweep
def test_another_python_reads_in_the_corpus_what_is_committed(other: str) -> None:
    committed = json.loads(GOLDEN.read_text("utf-8"))

    assert list(differences(committed, read_by(other, CORPUS))) == []


def test_another_python_reads_the_same_in_a_large_corpus(other: str) -> None:
    folder = os.environ.get("VFCC_CORPUS")
    if not folder:
        pytest.skip("VFCC_CORPUS names no folder of files to read")

    assert list(differences(digests_of(facts_below(Path(folder))), read_by(other, Path(folder), "--digests"))) == []


def test_a_difference_is_shown_with_its_file_and_fact() -> None:
    one = {"a.lua": {"symbols": ["f 1-2", "g 3-3"], "globs": []}, "b": {"cells": [1, 2]}}
    two = {"a.lua": {"symbols": ["f 1-2"], "globs": []}, "b": {"cells": [2, 1]}}

    assert list(differences(one, two)) == [
        " a.lua: symbols: only the first has 'g 3-3'",
        " b: cells: the order differs",
    ]
    assert list(differences([1, 1], [1])) == [" [1, 1] is not [1]"]
