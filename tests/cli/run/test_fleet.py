"""Several machines share a run: workers die, are cut off or come late, and the run is that of one machine."""

import signal
from pathlib import Path

import pytest

from tests.cli.run.test_run_killed import BRANCH, RUN, made, merges
from tests.fleet_world import SETTINGS, FleetWorld, Release, Signal, fleet_world
from tests.run_world import RunWorld, artifact, honest
from tests.trees import git

pytestmark = [pytest.mark.vfcc("REQ-RUN"), pytest.mark.sweep]


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
