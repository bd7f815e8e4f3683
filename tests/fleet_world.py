"""A fleet for tests: a real PostgreSQL server, a remote, machines with clones of their own, and a network to cut."""

import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.cli.process import environment
from tests.run_world import PATIENCE_S, RunWorld
from tests.tree.postgres_server import ABSENT, ADMIN, Server, programs, running
from tests.trees import git

REPOSITORY = Path(__file__).resolve().parent.parent
LEASE_S = 8
SETTINGS = {"run": {"fleet": {"name": "shop", "remote": "team", "lease_s": LEASE_S, "at_once": 2}}}


def require_fleet() -> Path:
    """Return the folder of PostgreSQL's programs; skip where those or the extra are missing."""
    pytest.importorskip("dbos", reason="the extra fleet is not installed")
    found = programs()
    if found is None:
        pytest.skip(ABSENT)
    return found


class FleetProcess:
    """A coordinator or a worker: what it prints can be awaited."""

    def __init__(self, words: list[str], folder: Path, env: Mapping[str, str]) -> None:
        self.printed = ""
        self._process = subprocess.Popen(
            words,
            cwd=folder,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    def says(self, text: str) -> str:
        """Wait until it has printed a text; return all that it printed."""
        assert self._process.stdout is not None
        pipe, until = self._process.stdout.fileno(), time.monotonic() + PATIENCE_S
        while text not in self.printed:
            ready, _, _ = select.select([pipe], [], [], max(until - time.monotonic(), 0))
            chunk = os.read(pipe, 65_536) if ready else b""
            assert chunk, f"{text!r} was not printed, but: {self.printed}"
            self.printed += chunk.decode("utf-8", "replace")
        return self.printed

    def listen(self, seconds: float) -> None:
        """Take what it has printed, or prints soon."""
        assert self._process.stdout is not None
        if select.select([self._process.stdout], [], [], seconds)[0]:
            self.printed += os.read(self._process.stdout.fileno(), 65_536).decode("utf-8", "replace")

    def send(self, number: int) -> None:
        """Send it a signal."""
        os.kill(self.pid, number)

    def end(self, number: int = signal.SIGTERM) -> int:
        """Send it a signal, unless it has ended, and return its exit code."""
        if self._process.poll() is None:
            for each in (signal.SIGCONT, number):
                os.killpg(self.pid, each)
        return self.ended()

    def ended(self) -> int:
        """Wait for its end, and return its exit code."""
        out, _ = self._process.communicate(timeout=PATIENCE_S)
        self.printed += (out or b"").decode("utf-8", "replace")
        return self._process.returncode


class Signal:
    """A pipe with a name by which an agent reports that it works; it stays open, so that the agent never waits."""

    def __init__(self, path: Path) -> None:
        os.mkfifo(path)
        self.path = path
        self._descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)

    @property
    def command(self) -> str:
        """The command by which an agent gives it."""
        return f"echo > {self.path}"

    def awaited(self, whom: FleetProcess) -> None:
        """Wait for it; fail with what a process printed where it does not come."""
        ready, _, _ = select.select([self._descriptor], [], [], PATIENCE_S)
        assert ready, f"{self.path.name} did not come: {whom.end(signal.SIGKILL)} {whom.printed}"
        os.read(self._descriptor, 1_000)


class Release:
    """A pipe with a name at which an agent waits until the test lets it go on."""

    def __init__(self, path: Path) -> None:
        os.mkfifo(path)
        self.path = path

    @property
    def command(self) -> str:
        """The command by which an agent waits."""
        return f"cat {self.path} > /dev/null"

    def give(self) -> None:
        """Let it go on."""
        self.path.write_bytes(b"go\n")


class Network:
    """Machines as namespaces of the test's own, each with a cable to a bridge that can be pulled."""

    def __init__(self, count: int) -> None:
        number = os.getpid()
        self.short = f"vf{number % 100_000}"
        self.base = f"10.{190 + number % 60}.{number // 60 % 250}"
        self.count = count

    @property
    def address(self) -> str:
        """The address of this machine on the bridge."""
        return f"{self.base}.1"

    def space(self, number: int) -> str:
        """Return the name of a machine's namespace."""
        return f"{self.short}n{number}"

    def plug(self, number: int, *, connected: bool) -> None:
        """Connect a machine, or cut it off."""
        _ip("link", "set", f"{self.short}v{number}", "up" if connected else "down")

    @contextmanager
    def made(self) -> Iterator["Network"]:
        """Make it, and remove it at the end; skip where that is not possible."""
        if shutil.which("ip") is None:
            pytest.skip("ip (iproute2) is not installed")
        if subprocess.run(["ip", "netns", "add", self.space(0)], capture_output=True, check=False).returncode:
            pytest.skip("ip may not make network namespaces here")
        try:
            _ip("link", "add", f"{self.short}b", "type", "bridge")
            _ip("addr", "add", f"{self.address}/24", "dev", f"{self.short}b")
            _ip("link", "set", f"{self.short}b", "up")
            for number in range(self.count):
                self._machine(number)
            yield self
        finally:
            for number in range(self.count):
                subprocess.run(["ip", "netns", "del", self.space(number)], capture_output=True, check=False)
            subprocess.run(["ip", "link", "del", f"{self.short}b"], capture_output=True, check=False)

    def _machine(self, number: int) -> None:
        space, outer, inner = self.space(number), f"{self.short}v{number}", f"{self.short}i{number}"
        if number:
            _ip("netns", "add", space)
        _ip("link", "add", outer, "type", "veth", "peer", "name", inner, "netns", space)
        _ip("link", "set", outer, "master", f"{self.short}b", "up")
        _ip("-n", space, "addr", "add", f"{self.base}.{number + 10}/24", "dev", inner)
        _ip("-n", space, "link", "set", inner, "up")
        _ip("-n", space, "link", "set", "lo", "up")


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)


class FleetWorld:
    """A project whose runs go to a fleet, and the processes of it."""

    def __init__(self, folder: Path, server: Server, script: Mapping[str, object], network: Network | None) -> None:
        self.folder, self.server, self.network = folder, server, network
        self.run = RunWorld(folder, script, settings=SETTINGS)
        self.remote = folder / "team.git"
        git(folder, "init", "--quiet", "--bare", str(self.remote))
        server.admin("CREATE DATABASE fleet", database="postgres")
        self.host = network.address if network else "127.0.0.1"
        self.url = f"postgresql://{ADMIN}@{self.host}:{server.port}/fleet"
        self.address = str(self.remote)
        self.processes: list[FleetProcess] = []
        if network:
            self.address = self._served()
        git(self.run.root, "remote", "add", "team", self.address)

    def _served(self) -> str:
        with socket.socket() as probe:
            probe.bind((self.host, 0))
            port = probe.getsockname()[1]
        words = ["git", "daemon", f"--listen={self.host}", f"--port={port}", "--reuseaddr", "--export-all"]
        words += [f"--base-path={self.folder}", "--enable=receive-pack", "--verbose"]
        daemon = FleetProcess(words, self.folder, dict(os.environ))
        self.processes.append(daemon)
        daemon.says("Ready to rumble")
        return f"git://{self.host}:{port}/team.git"

    def env(self, **more: str) -> dict[str, str]:
        """Return the variables of a process of the fleet."""
        fixed = {"PYTHONPATH": str(REPOSITORY), "VFCC_FLEET_DATABASE": self.url}
        return {**environment(self.folder), **fixed, **more}

    def coordinator(self, until: str = "", **more: str) -> FleetProcess:
        """Start a coordinator, which opens a run or continues it."""
        return self._started("coordinator", self.run.root, until, [], more)

    def worker(self, name: str, machine: int = 0, **more: str) -> FleetProcess:
        """Start a worker in a clone of its own, on a machine of the network where there is one; wait until it waits."""
        root = self.folder / name
        if not root.exists():
            git(self.folder, "clone", "--quiet", str(self.run.root), name)
            git(root, "remote", "add", "team", self.address)
        before = ["ip", "netns", "exec", self.network.space(machine)] if self.network else []
        process = self._started("worker", root, name, before, more)
        process.says("waits for attempts")
        return process

    def executor(self, name: str, pipe: Path) -> FleetProcess:
        """Start a process that only does jobs of the queue, each until it gets a byte of the pipe."""
        words = [sys.executable, "-m", "tests.fleet_process", "queue", self.url, str(pipe), name]
        process = FleetProcess(words, self.folder, self.env())
        self.processes.append(process)
        process.says("ready")
        return process

    def _started(self, role: str, root: Path, name: str, before: list[str], more: Mapping[str, str]) -> FleetProcess:
        words = [*before, sys.executable, "-m", "tests.fleet_process", role, str(root), self.run.agent, name]
        process = FleetProcess(words, root, self.env(**more))
        self.processes.append(process)
        return process

    def holder(self, attempt: str) -> str:
        """Return the name of the worker that has an attempt."""
        rows = self.server.admin(
            f"SELECT holder FROM vfcc_fleet.leases WHERE attempt = '{attempt}' AND state = 'held'", database="fleet"
        )
        return str(rows[0][0]).partition("#")[0]

    def remote_branches(self) -> list[str]:
        """Return the branches on the remote."""
        return git(self.remote, "for-each-ref", "--format=%(refname)").split()

    def agents(self) -> list[int]:
        """Return the processes of agents that still run."""
        found = []
        for each in Path("/proc").glob("[0-9]*"):
            try:
                marked = b"VFCC_RUN=" in (each / "environ").read_bytes()
                here = (each / "cwd").readlink().is_relative_to(self.folder)
            except OSError:
                continue
            found += [int(each.name)] if marked and here else []
        return found

    def end(self) -> None:
        """End all processes."""
        for each in reversed(self.processes):
            each.end(signal.SIGKILL)


@contextmanager
def fleet_world(folder: Path, script: Mapping[str, object], machines: int = 0) -> Iterator[FleetWorld]:
    """Make a fleet with its own server and, for several machines, its own network."""
    found = require_fleet()
    with ExitStack() as stack:
        network = stack.enter_context(Network(machines).made()) if machines else None
        server = stack.enter_context(running(found, f"{network.base}.0/24" if network else ""))
        world = FleetWorld(folder, server, script, network)
        stack.callback(world.end)
        yield world
