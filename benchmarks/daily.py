"""What daily commands cost as whole processes, by processor time, in turn with bare Python and a Typer hello-world.

python benchmarks/daily.py [--runs N] [--json]
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.measure import Command, machine, run_once
from benchmarks.start_up_counts import DAILY, world

TARGETS: Mapping[str, float] = {
    **dict.fromkeys(("next", "stage show", "check gate", "memory add", "memory list", "feedback add"), 8.0),
    "trace why": 10.0,
    "status": 3.0,
}
"""At most so many times bare Python."""
HELLO = """import typer
app = typer.Typer()
@app.command()
def main(name: str = "you") -> None:
    print(name)
app()
"""


def main() -> None:
    """Time the commands and print each beside bare Python."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    program = str(Path(sys.executable).with_name("vfcc"))
    with tempfile.TemporaryDirectory() as scratch:
        hello = Path(scratch, "hello.py")
        hello.write_text(HELLO, encoding="utf-8")
        commands = [
            Command("python -c pass", [sys.executable, "-c", "pass"], Path(scratch)),
            Command("typer hello-world", [sys.executable, str(hello)], Path(scratch)),
        ]
        folder, env = world(Path(scratch))
        commands += [Command(name, [program, *DAILY[name]], folder, environment=env) for name in DAILY]
        names = dict(os.environ)
        for name in names.keys() - {*env, "PATH"}:
            del os.environ[name]  # marks of agents
        taken: dict[str, list[float]] = {each.name: [] for each in commands}
        for _ in range(options.runs + 1):
            for each in commands:
                taken[each.name].append(run_once(each, ("0", "1", "4"))[1])
    found = {name: statistics.median(times[1:]) for name, times in taken.items()}
    _report(found, as_json=options.json)


def _report(found: Mapping[str, float], *, as_json: bool) -> None:
    bare = found["python -c pass"]
    rows = [
        {"command": name, "cpu_ms": round(ms, 1), "times": round(ms / bare, 1), "target": TARGETS.get(name)}
        for name, ms in found.items()
    ]
    if as_json:
        print(json.dumps({"machine": machine(), "figures": rows}, indent=2))
        return
    print("; ".join(machine().values()))
    print(f"{'command':24} {'processor time':>14} {'× bare':>8}  target")
    for name, ms in found.items():
        times, target = round(ms / bare, 1), TARGETS.get(name)
        verdict = "" if target is None else f"≤ {target} ({'met' if times <= target else 'MISSED'})"
        print(f"{name:24} {ms:11.1f} ms {times:8}  {verdict}".rstrip())


if __name__ == "__main__":
    main()
