"""Stop each writing command at its steps: `python -m tests.fault_sweep FOLDER PROJECT COUNT SEED [SHARD SHARDS]`.

FOLDER is a home, PROJECT the project in it. Of all pairs of a step and a way to stop there, COUNT are drawn by SEED. It
prints JSON: how many points were reached, and what was wrong at which.
"""

import json
import random
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.fault_places import LINES, Places
from tests.fault_runs import HOWS, Fault, Run, cpu_s, import_program, in_memory
from tests.fault_worlds import Place, Seen, lines, ran, seen, unfinished, wrong
from verifflowcc.base.files import layout as stamps

AGAIN = 5
"""Of so many points, one is followed by the same command again, which must end as commands do."""
REDRAWS = 3
"""So often another step is drawn where a run ends before its step."""


def main(arguments: Sequence[str]) -> None:
    """Stop commands, and print what was wrong."""
    place = Place(Path(arguments[0]), arguments[1])
    count, seed = int(arguments[2]), int(arguments[3])
    shard, shards = (int(each) for each in arguments[4:6]) if len(arguments) > 4 else (0, 1)
    from tests.fork_server import _build_commands

    import_program()
    _build_commands()
    # Caches are written only for files that were left alone for two seconds. Copies count as such at once, so that a
    # slow machine takes the same steps as a fast one.
    stamps.SETTLED_AFTER_NS = 0
    with tempfile.TemporaryDirectory(prefix="vfcc-faults-", dir=in_memory()) as folder:
        found = sweep(place, Path(folder), count, seed, lines(LINES)[shard::shards])
    print(json.dumps({**found, "cpu_s": cpu_s()}))


def sweep(place: Place, folder: Path, count: int, seed: int, chosen: Sequence[tuple[str, str]]) -> dict[str, object]:
    """Stop the commands at `count` points, drawn by `seed`."""
    places, befores = Places(place, folder), dict[Place, Seen]()
    ends, points = {}, []
    for name, line in chosen:
        own = places.of(name, line)
        if own not in befores:
            befores[own] = seen(own.copy(folder / "before"))
        root = own.copy(folder / "done")
        done = ran(root, line)
        ends[line] = (own, done, seen(root))
        points += [(line, step, how) for step in range(done.steps) for how in HOWS]
    drawn = random.Random(seed).sample(points, min(count, len(points)))
    reached, redrawn, bad = 0, 0, []
    for number, (line, wanted, how) in enumerate(drawn):
        own, done, then = ends[line]
        root, stopped, step = _stop(own, folder / "stopped", line, Fault(wanted, how))
        reached += stopped.steps > step
        redrawn += step != wanted
        told = list(wrong(befores[own], then, seen(root), stopped, done.code))
        if number % AGAIN == 0:
            again = ran(root, line)
            if again.code in {70, 71} or "Traceback" in again.err or again.killed:
                told.append(f"then: {again.code} {again.err[-300:]}")
            elif again.code == done.code == 0:
                told += unfinished(befores[own], then, seen(root))
        bad += [f"{line} @ {step} {how}: {each}" for each in told]
    shutil.rmtree(folder / "stopped", ignore_errors=True)
    figures = {"points": len(points), "drawn": len(drawn), "reached": reached, "redrawn": redrawn}
    return {**figures, "commands": len(chosen), "wrong": bad}


def _stop(place: Place, folder: Path, line: str, fault: Fault) -> tuple[Path, Run, int]:
    """Stop a line in a new copy; return the copy, the run, and the step: another one where the run took fewer."""
    for _ in range(1 + REDRAWS):
        root = place.copy(folder)
        stopped = ran(root, line, fault)
        if stopped.steps > fault.step or not stopped.steps:
            break
        fault = Fault(fault.step % stopped.steps, fault.how)
    return root, stopped, fault.step


if __name__ == "__main__":
    main(sys.argv[1:])
