"""Run a real client as `vfcc run` does, against a scripted model."""

import os
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from tests.clients.conftest import Desk
from tests.clients.model_server import ModelServer, serving, unreachable
from tests.clients.running import CLAUDE_MODEL, client_environment, write_codex_config
from tests.clients.turns import MAIN, Say
from verifflowcc.base.model.events import Json
from verifflowcc.run.rules.agent_port import (
    NO_USAGE,
    AgentClient,
    AgentEnding,
    AgentLimits,
    AgentStep,
    AgentTask,
    AgentUsage,
)
from verifflowcc.run.rules.claude_agent import ClaudeAgent
from verifflowcc.run.rules.codex_agent import CodexAgent
from verifflowcc.run.store.agent_process import run_agent

RUN = f"r-real-{os.getpid()}"
LIMITS = AgentLimits(seconds=60, turns=40)
ROLE = 'You are the "tester".\nTest.\n'
TOOLS: Mapping[str, Json] = {"read": {}, "search": {}, "edit": {"paths": ["tests/**"]}, "run": {}, "git-read": {}}
READING: Mapping[str, Json] = {"read": {}}
FORM = (
    '{"type":"object","properties":{"verdict":{"type":"string"}},"required":["verdict"],"additionalProperties":false}'
)


@dataclass(slots=True)
class DrivenCall:
    """One call of a client: how it ended, its steps, and the model that it asked."""

    ending: AgentEnding
    steps: list[AgentStep]
    server: ModelServer


@dataclass(slots=True)
class Driven:
    """A client in a folder and a home that last over several calls."""

    client: AgentClient
    desk: Desk
    session: str = field(default_factory=lambda: str(uuid.uuid4()))

    def call(
        self,
        turns: Sequence[Say],
        *,
        resume: str = "",
        tools: Mapping[str, Json] = TOOLS,
        limits: AgentLimits = LIMITS,
        schema: str = "",
        before: AgentUsage = NO_USAGE,
        on_step: Callable[[AgentStep], None] = lambda step: None,
        stop: Callable[[], bool] = lambda: False,
        listening: bool = True,
    ) -> DrivenCall:
        """Start it, or resume its session with a message, and let the model take these turns.

        Where it is not `listening`, nothing answers at the model's address.
        """
        steps: list[AgentStep] = []

        def take(step: AgentStep) -> None:
            steps.append(step)
            on_step(step)

        with serving({MAIN: turns}) if listening else unreachable() as server:
            task = AgentTask(
                str(self.desk.folder),
                str(self.desk.log),
                "tester",
                "Do it.",
                ROLE,
                self.session,
                tools,
                model=CLAUDE_MODEL if self.client.name == "claude" else "",
                limits=limits,
                schema=schema,
                environment=self._environment(server),
            )
            command = self.client.resume(task, resume) if resume else self.client.start(task)
            ending = run_agent(self.client, command, limits, f"{RUN}/a-1", take, stop, before=before)
        self.session = ending.session or self.session
        return DrivenCall(ending, steps, server)

    def _environment(self, server: ModelServer) -> Mapping[str, str]:
        home = self.desk.home
        if self.client.name == "codex":
            write_codex_config(home, self.desk.folder, server)
        return client_environment(self.client.name, home, server)


def driven(program: Path, desk: Desk) -> Driven:
    """Return a client by its program."""
    client: AgentClient = ClaudeAgent(str(program)) if program.name.startswith("claude") else CodexAgent(str(program))
    return Driven(client, replace(desk, log=desk.log / "scratch"))
