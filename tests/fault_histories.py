"""Random histories with commands that are killed: `python -m tests.fault_histories FOLDER PROJECT COUNT KILLS SEED`.

Each history is a row of commands that people and agents mix; `KILLS` of them are killed at a random step, over all
histories. After each command all that was on record is still there; after each history the ledger is sound, and the
next command works. It prints JSON.
"""

import json
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from tests.fault_runs import Fault, cpu_s, import_program, in_memory
from tests.fault_worlds import Place, ran, record_names, sprint_findings

LENGTH = 6
MIX = (
    'feedback add "It is slow {n}"',
    'feedback add "At noon {n}" --stage coding',
    'memory add fact "The office closes at {n}"',
    'memory add decision "Use {n} workers"',
    'trace add requirement "A page takes {n} ms" --text "It shall take {n} ms."',
    'task start "Mend form {n}"',
    'task note "The form posts {n} times"',
    'window add "A thought {n}" --session s1',
    "stage put plan.md --file notes.md",
    "stage put changes.md --file notes.md",
    "stage put results.md --file notes.md",
    "stage advance",
    'stage reopen planning --reason "again {n}"',
    'stage skip --reason "small {n}" --yes',
    "evidence run",
    "evidence add report.xml --criterion device-tests",
    'waive reviewed --reason "later {n}" --yes',
    "approve coding --yes",
    'sprint close --unfinished "later {n}"',
    'sprint start "Sprint {n}"',
    "memory maintain",
    "context show --agent coder",
    "code index",
    "status",
)
MOST_STEPS = 30


def main(arguments: Sequence[str]) -> None:
    """Play histories, and print what was wrong."""
    place = Place(Path(arguments[0]), arguments[1])
    histories, kills, seed = map(int, arguments[2:5])
    from tests.fork_server import _build_commands

    import_program()
    _build_commands()
    with tempfile.TemporaryDirectory(prefix="vfcc-histories-", dir=in_memory()) as folder:
        print(json.dumps({**play(place, Path(folder), histories, kills, seed), "cpu_s": cpu_s()}))


def play(place: Place, folder: Path, histories: int, kills: int, seed: int) -> dict[str, object]:
    """Play so many histories."""
    bad, codes, killed, left = list[str](), Counter[str](), 0, kills
    for number in range(histories):
        draw = random.Random(f"{seed} {number}")
        root = place.copy(folder / "history")
        told, known = list[str](), record_names(root)
        some = min(LENGTH - 1, -(-left // (histories - number)))
        doomed = set(draw.sample(range(LENGTH), some))
        for at in range(LENGTH):
            line = draw.choice(MIX).format(n=draw.randrange(1000))
            fault = Fault(draw.randrange(MOST_STEPS), "KILL") if at in doomed else None
            done = ran(root, line, fault)
            if fault and not done.killed and done.steps:  # it took fewer steps: kill it at one that it took
                line = draw.choice(MIX[:14]).format(n=draw.randrange(1000))
                done = ran(root, line, Fault(draw.randrange(4), "KILL"))
            killed += done.killed
            codes["killed" if done.killed else str(done.code)] += 1
            if done.code in {70, 71} or "Traceback" in done.err:
                told.append(f"{line}: {done.code} {done.err[-400:]}")
            now = record_names(root)
            told += [f"{line}: lost {each}" for each in sorted(known - now)]
            known = now
        left = kills - killed
        told += [f"doctor: {each}" for each in sprint_findings(root)]
        after = ran(root, 'feedback add "the last"')
        if after.code not in {0, 2, 3} or (after.code and "open" not in after.err):  # none is open, or several are
            told.append(f"then: {after.code} {after.err[-300:]}")
        bad += [f"history {number}: {each}" for each in told]
    return {"histories": histories, "killed": killed, "ended": dict(codes), "wrong": bad}


if __name__ == "__main__":
    main(sys.argv[1:])
