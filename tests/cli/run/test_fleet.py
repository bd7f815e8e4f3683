"""Several machines share a run: workers die, are cut off or come late, and the run is that of one machine."""

import base64
import os
import select
import signal
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.cli.run.test_run_killed import BRANCH, RUN, made, merges
from tests.fleet_world import SETTINGS, FleetProcess, FleetWorld, Release, Signal, fleet_world
from tests.run_world import RunWorld, artifact, honest
from tests.trees import git
from verifflowcc.run.rules.fleet_work import FleetJob
from verifflowcc.run.store.fleet_engine import FleetEngine, FleetLimits
from verifflowcc.run.store.fleet_leases import FleetLeases

pytestmark = pytest.mark.vfcc("REQ-RUN")


def calm_run(folder: Path, until: str = "") -> RunWorld:
    """Return a world in which one machine made the run without a disturbance."""
    folder.mkdir()
    calm = RunWorld(folder, settings=SETTINGS)
    done = calm.drive(*(["--until", until] if until else []))
    assert done.code == 0, done
    return calm


def no_branch_outside_of_the_run(world: FleetWorld) -> bool:
    """Whether the remote got nothing but branches of the run, and no clone of a worker has one."""
    clones = [path.parent for path in world.folder.glob("*/.git") if path.parent != world.run.root]
    assert not any(git(each, "branch", "--list", "vfcc/*") for each in clones)
    assert not any(git(each, "status", "--porcelain") for each in (world.run.root, *clones))
    return all(each.startswith(f"refs/heads/vfcc/{RUN}/") for each in world.remote_branches())


@pytest.mark.parametrize(
    ("url", "settings", "code", "words"),
    [
        ("", SETTINGS, 2, ("the fleet's database is not named", "export VFCC_FLEET_DATABASE=")),
        ("mysql://db/fleet", SETTINGS, 2, ("no URL of a PostgreSQL database",)),
        ("postgresql://127.0.0.1/fleet", {}, 2, ("run.fleet.name is empty", "fleet: {name: shop, remote: origin}")),
        ("postgresql://127.0.0.1/fleet", SETTINGS, 2, ("the remote team, which this repository lacks",)),
    ],
)
def test_a_fleet_that_is_not_set_up_opens_no_run(
    tmp_path: Path, url: str, settings: dict[str, object], code: int, words: tuple[str, ...]
) -> None:
    pytest.importorskip("dbos", reason="the extra fleet is not installed")
    world = RunWorld(tmp_path, settings=settings)

    world.run("--fleet", env={"VFCC_FLEET_DATABASE": url}).refused(code, *words)
    world.run("worker", env={"VFCC_FLEET_DATABASE": url}).refused(code, *words)

    assert not git(world.root, "branch", "--list", "vfcc/*")


def test_a_database_that_is_down_is_reported_without_its_password(tmp_path: Path) -> None:
    pytest.importorskip("dbos", reason="the extra fleet is not installed")
    world = RunWorld(tmp_path, settings=SETTINGS)
    git(world.root, "remote", "add", "team", str(tmp_path / "team.git"))
    url = "postgresql://ada:s3cretword@127.0.0.1:1/fleet"

    done = world.run("--fleet", env={"VFCC_FLEET_DATABASE": url})

    done.refused(3, "the fleet's database gives no answer", "look at VFCC_FLEET_DATABASE")
    assert "s3cretword" not in done.err
    assert "s3cretword" not in git(world.root, "grep", "--no-index", "-rh", "-e", "fleet", ".memory")


def test_without_the_extra_the_package_to_install_is_named_and_a_run_of_this_machine_works(tmp_path: Path) -> None:
    hidden = tmp_path / "hidden"
    hidden.mkdir()
    (hidden / "sitecustomize.py").write_text("import sys\nsys.modules['dbos'] = None\n")
    world = RunWorld(tmp_path, settings=SETTINGS)
    without = {"PYTHONPATH": str(hidden), "VFCC_FLEET_DATABASE": "postgresql://127.0.0.1/fleet"}

    world.run("--fleet", env=without).refused(3, "a fleet needs the extra fleet", "pip install 'verifflowcc[fleet]'")
    done = world.run("--agent", world.agent, "--until", "planning", env=without)

    assert done.code == 0, done


@pytest.mark.sweep
def test_the_limits_of_the_queue_hold_also_where_a_worker_dies(tmp_path: Path) -> None:
    pipe = tmp_path / "ends"
    os.mkfifo(pipe)
    with fleet_world(tmp_path, honest()) as world:
        ends = os.open(pipe, os.O_RDWR)
        workers = {name: world.executor(name, pipe) for name in ("w1", "w2", "w3")}
        engine = FleetEngine(world.url, "shop", "test", "vfcc-run-1", FleetLimits(3, 2))
        try:
            engine.launch()
            for number in range(1, 9):
                engine.queue(FleetJob("r-1", "coder-1", number))
                engine.queue(FleetJob("r-1", "coder-1", number))  # the same one again changes nothing
            begun = running(workers, 3)
            victim = begun[0][0]
            workers.pop(victim).end(signal.SIGKILL)
            lost = [number for name, number in begun if name == victim]
            for number in lost:
                engine.cancel(FleetJob("r-1", "coder-1", number))
            done: list[int] = []
            while len(done) < 8 - len(lost):
                running(workers, min(3, 8 - len(lost) - len(done)))
                os.write(ends, b"x")
                done = finished(workers, len(done) + 1)
            assert sorted([*done, *lost]) == list(range(1, 9))
        finally:
            engine.close()
            os.close(ends)


@pytest.mark.sweep
def test_no_row_of_the_database_is_unpickled_and_an_older_worker_is_refused(tmp_path: Path) -> None:
    proof = tmp_path / "proof"
    with fleet_world(tmp_path, honest()) as world:
        engine = FleetEngine(world.url, "shop", "test", "vfcc-run-1", FleetLimits(3, 2))
        try:
            engine.queue(job := FleetJob("r-1", "coder-1", 1))
            code = f"import pathlib; pathlib.Path({str(proof)!r}).touch()"
            row = base64.b64encode(b"cbuiltins\nexec\n(V" + code.encode() + b"\ntR.").decode()
            world.server.admin(
                "UPDATE dbos.workflow_status SET serialization = 'py_pickle'",
                f"UPDATE dbos.workflow_input SET inputs = '{row}'",
                database="fleet",
            )
            executor = world.executor("w1", tmp_path / "unused")
            while not proof.exists() and engine.state_of(job) in ("ENQUEUED", "PENDING"):
                select.select([], [], [], 0.1)
            assert not proof.exists()
            assert engine.state_of(job) == "ERROR"
        finally:
            engine.close()
        executor.end(signal.SIGKILL)
        assert not proof.exists()
        leases = FleetLeases(world.url, "shop")
        leases.prepare()
        leases.offer(FleetJob("r-1", "coder-1", 1), "vfcc-run-2")
        leases.close()
        refused = world.run.run("worker", env={"VFCC_FLEET_DATABASE": world.url})
        refused.refused(3, "shop has jobs of vfcc-run-2, and this vfcc takes those of vfcc-run-1", "pip install")


def running(workers: Mapping[str, FleetProcess], count: int) -> list[tuple[str, int]]:
    """Wait until so many jobs run, and return them; no more do, and none of the workers has more than two."""
    found: list[tuple[str, int]] = []
    while True:
        for each in workers.values():
            each.listen(1 / len(workers))
        found = [(name, number) for name, each in workers.items() for number in numbers_of(each, "+")]
        found = [(name, number) for name, number in found if number not in finished(workers, 0)]
        assert len(found) <= 3
        assert all(sum(name == each for each, _ in found) <= 2 for name in workers)
        if len(found) >= count:
            return found


def finished(workers: Mapping[str, FleetProcess], count: int) -> list[int]:
    """Return the jobs that have ended, once there are so many."""
    while True:
        found = [number for each in workers.values() for number in numbers_of(each, "-")]
        if len(found) >= count:
            return found
        for each in workers.values():
            each.listen(0.1)


def numbers_of(worker: FleetProcess, sign: str) -> list[int]:
    """Return the numbers in the whole lines of an executor that begin with a sign."""
    lines = worker.printed.splitlines(keepends=True)
    return [int(line.split()[2]) for line in lines if line.startswith(f"{sign} ") and line.endswith("\n")]


@pytest.mark.sweep
def test_deleting_the_tables_of_the_queue_and_the_leases_loses_no_fact(tmp_path: Path) -> None:
    calm = calm_run(tmp_path / "calm", "design")
    working = Signal(tmp_path / "working")
    script = {**honest(), "designer": [{"shell": [working.command, "sleep 1000"]}, *honest()["designer"]]}
    with fleet_world(tmp_path, script) as world:
        worker = world.worker("w1")
        first = world.coordinator("design")
        working.awaited(first)
        first.end(signal.SIGKILL)

        world.server.admin("DROP SCHEMA dbos CASCADE", "DROP SCHEMA vfcc_fleet CASCADE", database="fleet")
        second = world.coordinator()

        assert second.ended() == 0, (second.printed, worker.printed)
        assert made(world.run) == made(calm)
        assert merges(world.run) == merges(calm) == ["designer-1", "planner-1"]
        assert worker.end() == 130
        assert world.agents() == []
        assert no_branch_outside_of_the_run(world)
        assert world.run.run("clean", "--force").code == 0
        assert world.remote_branches() == []


@pytest.mark.sweep
def test_a_run_of_three_machines_that_are_cut_off_killed_and_upgraded_is_that_of_one(tmp_path: Path) -> None:
    calm = calm_run(tmp_path / "calm")
    planning, design, coding, testing = (Signal(tmp_path / name) for name in ("plan", "design", "code", "test"))
    code, test = Release(tmp_path / "code-goes-on"), Release(tmp_path / "test-goes-on")
    script = honest()
    script["planner"] = [{"shell": [planning.command, "sleep 1000"]}, *script["planner"]]
    script["designer"] = [{"shell": [design.command, "sleep 1000"]}, *script["designer"]]
    script["coder"] = [{**script["coder"][0], "shell": [coding.command, code.command]}]
    late: dict[str, object] = {"files": {artifact("testing", "results.md"): "# Late\n"}}
    script["tester"] = [late, {**script["tester"][0], "shell": [testing.command, test.command]}]
    with fleet_world(tmp_path, script, machines=3) as world:
        assert world.network is not None
        workers = {"w0": world.worker("w0", 0)}
        first = world.coordinator()

        planning.awaited(first)
        world.network.plug(0, connected=False)
        workers |= {name: world.worker(name, number) for number, name in ((1, "w1"), (2, "w2"))}
        design.awaited(first)  # so another worker has made the plan
        workers["w0"].says("planner-1/1 lost: its lease is gone")
        world.network.plug(0, connected=True)

        killed = world.holder("designer-1")
        workers.pop(killed).end(signal.SIGKILL)
        coding.awaited(first)
        first.end(signal.SIGKILL)

        newer = {"VFCC_TEST_JOBS": "vfcc-run-2"}
        second = world.coordinator(**newer)
        stops = {"VFCC_TEST_STOP": "renewed tester-1", "VFCC_TEST_MARK": str(tmp_path / "stopped")}
        upgraded = world.worker(killed, int(killed[1:]), **newer, **stops)
        code.give()
        second.says("tester-1: its worker is gone")
        older = next(iter(workers))
        assert workers.pop(older).end() == 130
        fresh = world.worker(older, int(older[1:]), **newer)
        testing.awaited(second)
        upgraded.send(signal.SIGCONT)
        upgraded.says("tester-1/1 pushed")
        test.give()

        assert second.ended() == 0, second.printed
        assert made(world.run) == made(calm)
        assert merges(world.run) == merges(calm)
        calls = {role: len(world.run.calls(role)) for role in script}
        assert calls == {"planner": 2, "designer": 2, "coder": 1, "tester": 2, "stakeholder": 1}
        results = {f"refs/heads/vfcc/{RUN}/result/tester-1/{number}" for number in (1, 2)}
        assert results <= set(world.remote_branches())
        assert "Late" not in git(world.run.root, "show", f"{BRANCH}:{artifact('testing', 'results.md')}")
        for each in (*workers.values(), upgraded, fresh):
            assert each.end() == 130
        assert world.agents() == []
        assert no_branch_outside_of_the_run(world)
