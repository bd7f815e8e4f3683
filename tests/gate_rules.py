"""How sentences on what a stage owes, and on results of tests, are held against the files and pytest's reports."""

import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from tests.claim_truth import Outcome, Truth, current_sprint, items_in, minute_of, stage_of

_VFCC = Path(sys.executable).with_name("vfcc")


def stage_owes(truth: Truth, found: re.Match[str]) -> bool:
    """The active stage; all that its artifacts and tests lack is listed, and where nothing is, they lack nothing."""
    if found[1] != truth.stage.get("id"):
        return False
    owed = {each.partition(":")[0] for each in truth.under("The stage ")} - {"next"}
    hidden = re.search(r"(\d+) owed item", truth.lines[-1])
    unmet = set(unmet_criteria(truth))
    return not owed if found[2] else bool(owed) and (bool(hidden) or unmet <= owed)


def unmet_criteria(truth: Truth) -> Iterator[str]:
    """Yield the criteria of the active stage that its files show to be unmet."""
    for each in truth.stage.get("exit", ()):
        if each["kind"] == "artifact" and not any(artifact_text(truth, each["files"])):
            yield each["id"]
        if each["kind"] == "junit" and not evidence_for(truth, truth.stage["id"], each["id"]):
            yield each["id"]


def artifact_text(truth: Truth, patterns: Sequence[str]) -> Iterator[str]:
    """Yield the text of each artifact of the active stage that matches and is not empty."""
    folder = f".memory/stage/{truth.sprint['id']}/{truth.stage['id']}/artifacts" if truth.sprint else ""
    for path, text in truth.files.items():
        if text.strip() and any(fnmatchcase(path, f"{folder}/{pattern}") for pattern in patterns):
            yield text


def evidence_for(truth: Truth, stage: str, criterion: str) -> list[Mapping[str, Any]]:
    """Return what evidence files record of a criterion, oldest first."""
    start = f".memory/stage/{truth.sprint['id']}/{stage}/evidence/" if truth.sprint else ""
    found = [yaml.safe_load(text) for path, text in sorted(truth.files.items()) if path.startswith(start)]
    return [each for each in found if criterion in str(each.get("criterion"))]


def owed(truth: Truth, found: re.Match[str]) -> bool:
    """A criterion of the stage that is not met, for the reason that the files show, with a command that there is."""
    name, reason = found[1], found[2]
    steps = re.findall(r": (vfcc .*)", reason)
    if not all(is_command(each) for each in steps):
        return False
    criteria = {each["id"]: each for each in (*truth.stage.get("enter", ()), *truth.stage.get("exit", ()))}
    if name == "rules":  # a criterion of every gate
        return all(_is_protected_change(truth, each) for each in re.findall(r"(\S+) \((?:new|changed|gone)", reason))
    kind = criteria.get(name, {}).get("kind", "")
    return kind in _OWED and _OWED[kind](truth, criteria[name], reason)


def _owed_artifact(truth: Truth, criterion: Mapping[str, Any], reason: str) -> bool:
    if absent := re.match(r"nothing matches (.*?)(?: \(it needs .*?\))?: ", reason):
        return not any(fnmatchcase(path, each) for path in truth.files for each in absent[1].split(" or "))
    path = next((each for each in truth.files if each in reason), "")
    return bool(path) and not _has_all(truth.files[path], criterion)


def _has_all(text: str, criterion: Mapping[str, Any]) -> bool:
    return bool(text.strip()) and all(each in text for each in criterion.get("requires", ()))


def _owed_tests(truth: Truth, criterion: Mapping[str, Any], reason: str) -> bool:
    recorded = evidence_for(truth, truth.stage["id"], criterion["id"])
    if reason.startswith("gates.commands."):
        return "commands" not in str(config_of(truth).get("gates", {}))
    if reason.startswith(("nothing was recorded", "there is no evidence")):
        return not recorded
    if counted := re.match(r"(\d+) of (\d+) tests", reason):
        return any(counts(run) == (int(counted[1]), int(counted[2])) for run in test_runs(truth.outcomes))
    changed = re.match(r"its evidence is stale: (\S+) (?:changed|is new|is gone)", reason)
    return bool(recorded) and (changed is None or any(changed[1] in each.files for each in truth.so_far))


def _owed_proof(truth: Truth, criterion: Mapping[str, Any], reason: str) -> bool:
    """No evidence, evidence of files that changed, or tests that had in an earlier content what they lost."""
    recorded = evidence_for(truth, truth.stage["id"], criterion["id"])
    if reason.startswith("there is no evidence"):
        return not recorded
    if changed := re.match(r"its evidence is stale: (\S+) (?:changed|is new|is gone)", reason):
        return bool(recorded) and any(changed[1] in each.files for each in truth.so_far)
    lost = re.findall(r"(\S+?):\d+ (\w+): it has (\S+) no more", reason)
    return bool(recorded) and bool(lost) and all(_had(truth, *each) for each in lost)


def _had(truth: Truth, path: str, test: str, value: str) -> bool:
    now = truth.files.get(path, "")
    earlier = (each.files.get(path, "") for each in truth.so_far)
    return any(then != now and f"def {test}(" in then and value in then for then in earlier)


def _owed_diff(truth: Truth, _: Mapping[str, Any], reason: str) -> bool:
    if reason.startswith("the sprint has no base"):
        return (truth.sprint or {}).get("base") is None
    return reason.startswith("no file outside") and not _changed_product(truth)


def _changed_product(truth: Truth) -> bool:
    first, now = truth.so_far[0].files, truth.files
    return any(first.get(each) != now.get(each) for each in {*first, *now} if not each.startswith("."))


def _owed_upstream(truth: Truth, _: Mapping[str, Any], reason: str) -> bool:
    """An earlier stage's artifact changed since that stage was passed."""
    path = re.match(r"(\.memory/stage/\S+) ", reason)
    return path is not None and len({each.files.get(path[1]) for each in truth.so_far if path[1] in each.files}) > 1


def _owed_trace(truth: Truth, _: Mapping[str, Any], reason: str) -> bool:
    requirements = [each for each in items_in(truth.files) if each.type == "requirement"]
    return bool(requirements) is not reason.startswith("there is no ")


_OWED: Mapping[str, Callable[[Truth, Mapping[str, Any], str], bool]] = {
    "artifact": _owed_artifact,
    "junit": _owed_tests,
    "red-first": _owed_proof,
    "tests-kept": _owed_proof,
    "diff": _owed_diff,
    "upstream": _owed_upstream,
    "trace": _owed_trace,
}


def _is_protected_change(truth: Truth, path: str) -> bool:
    started = next(each["payload"]["rules"] for each in truth.now.ledger if each["type"] == "sprint_started")
    return path not in started or path not in truth.files or any(
        each.files.get(path) != truth.files[path] for each in truth.so_far
    )  # fmt: skip


def next_step(truth: Truth, found: re.Match[str]) -> bool:
    """A command that there is, for the first thing that is owed; without one, the way out of the stage."""
    first = truth.under("The stage ")[0]
    known = found[1] in first or first.startswith("next: ")
    return known and (is_command(found[1]) or not found[1].startswith("vfcc "))


@cache
def is_command(line: str) -> bool:
    """Whether the program has the command that a line begins with; the second word may be an argument of the first."""
    words = [word for word in re.split(r"[ <]", line)[:3] if re.fullmatch(r"vfcc|[a-z]+", word)][1:]
    for given in filter(None, (words, words[:1])):
        asked = subprocess.run([_VFCC, *given, "--help"], capture_output=True, text=True, check=False)
        usage = asked.stdout.strip().partition("\n")[0]
        if asked.returncode == 0 and f"vfcc {' '.join(given)} " in usage:
            return len(given) == len(words) or "COMMAND" not in usage
    return False


def asks_for(truth: Truth, found: re.Match[str]) -> bool:
    """The artifacts of the active stage, by the workflow in the ledger."""
    folder = f".memory/stage/{(truth.sprint or {}).get('id')}/{found[1]}/artifacts"
    names = [f"{folder}/{each}" for each in truth.stage.get("artifacts", ())]
    return found[1] == truth.stage.get("id") and found[2].split(", ") == names


def no_longer_owed(truth: Truth, found: re.Match[str]) -> bool:
    """Criteria of the stage at an earlier brief of the session, which are met or belong to another stage now."""
    earlier = [each for each in truth.so_far[:-1] if each.payload.get("session_id") == truth.session]
    asked = {one["id"] for each in earlier for one in stage_of(current_sprint(each)).get("exit", ())} | {"rules"}
    unmet = set(unmet_criteria(truth))
    return all(name in asked and name not in unmet for name in found[1].split(", "))


def config_of(truth: Truth) -> Mapping[str, Any]:
    return yaml.safe_load(truth.files.get(".memory/config.yaml", "")) or {}


def results(truth: Truth, found: re.Match[str]) -> bool:
    """How a recorded run of the tests ended, and whether the files are still those that it ran on."""
    runs = [
        run for run in test_runs(truth.outcomes) if abs(run[-1].at_ns // 60_000_000_000 - minute_of(found["time"])) <= 1
    ]
    failed = int(found["failed"] or 0)
    wanted = (failed, int(found["all"] or found["passed"]))
    fitting = [run for run in runs if counts(run) == wanted]
    if not fitting:
        return False
    then = [each for each in truth.so_far if each.at_ns < fitting[-1][0].at_ns] or truth.so_far[:1]
    changed = [path for path in {*then[-1].files, *truth.files} if then[-1].files.get(path) != truth.files.get(path)]
    product = [path for path in changed if not path.startswith(".")]
    if found["since"] is None:
        return not product
    return any(f"{path} changed" in found["since"] or f"{path} is " in found["since"] for path in product)


def failed_test(truth: Truth, found: re.Match[str]) -> bool:
    """A test that failed in the last run that had failures."""
    last = [run for run in test_runs(truth.outcomes) if counts(run)[0]][-1:]
    name = re.split(r"::|\.", found[1])[-1]
    return any(not each.passed and each.test.endswith(f"::{name}") for run in last for each in run)


def test_runs(outcomes: Sequence[Outcome]) -> list[list[Outcome]]:
    """Return the outcomes of each run, in order."""
    runs: dict[int, list[Outcome]] = {}
    for each in outcomes:
        runs.setdefault(each.run, []).append(each)
    return list(runs.values())


def counts(run: Sequence[Outcome]) -> tuple[int, int]:
    return sum(not each.passed for each in run), len(run)
