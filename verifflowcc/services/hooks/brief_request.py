"""All that the parts of one brief are made from, each gathered when it is first asked for."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from verifflowcc.adapters.files.private import USER
from verifflowcc.domain.items import Item
from verifflowcc.records import dataclass, field
from verifflowcc.services.hooks.brief_text import Count
from verifflowcc.services.hooks.settings import Standing
from verifflowcc.services.memory.opening import open_store
from verifflowcc.services.memory.scopes import scopes_recalled
from verifflowcc.services.workspace import Workspace

if TYPE_CHECKING:
    from verifflowcc.domain.facts import Facts
    from verifflowcc.services.gates import StageGates
    from verifflowcc.services.hooks.handover import Handed

_START, _COMPACTED, _RESUMED = "SessionStart", "compact", "resume"


@dataclass(slots=True)
class BriefRequest:
    """One brief: `payload` is the client's own event, `count` counts the tokens of a text.

    `role` is the one that the brief is for, which in a subagent can be another than the one that the session has.
    """

    workspace: Workspace
    standing: Standing
    payload: Mapping[str, Any]
    budget_tokens: int
    count: Count
    role: str | None = None
    _asked: "tuple[StageGates, Facts] | None" = field(default=None)
    _items: tuple[tuple[str, Item], ...] | None = field(default=None)
    _artifacts: "tuple[Handed, ...] | None" = field(default=None)

    @property
    def reader_role(self) -> str | None:
        """The role whose memory and commands the brief names."""
        return self.role or self.standing.role

    @property
    def session(self) -> str:
        """The client's id of the session; empty where it names none."""
        session = self.payload.get("session_id")
        return session if isinstance(session, str) else ""

    @property
    def starts(self) -> bool:
        """Whether the session begins, or its client goes on with it, rather than being in the middle of it."""
        return bool(self.payload.get("hook_event_name", _START) == _START)

    @property
    def compacted(self) -> bool:
        """Whether the client has just compacted the conversation."""
        return self.payload.get("source") == _COMPACTED

    @property
    def resumed(self) -> bool:
        """Whether the client goes on with a conversation that it still has."""
        return self.starts and self.payload.get("source") == _RESUMED

    @property
    def scopes(self) -> list[str]:
        """The scopes of memory that it reads: a person's own are not among them."""
        return [scope for scope in scopes_recalled(self.workspace, agent=self.reader_role) if scope != USER]

    def items(self) -> tuple[tuple[str, Item], ...]:
        """Return all items of these scopes, each with its scope. Raises BackendError and WorkspaceError."""
        if self._items is None:
            found: list[tuple[str, Item]] = []
            for scope in self.scopes:
                with open_store(self.workspace, scope) as store:
                    found += [(scope, item) for item in store.items()]
            self._items = tuple(found)
        return self._items

    def artifacts(self) -> "tuple[Handed, ...]":
        """Return the artifacts of earlier stages, in the order in which the current one builds on them."""
        sprint, stage = self.standing.sprint, self.standing.stage
        if self._artifacts is None:
            from verifflowcc.services.hooks.handover import handed_over

            self._artifacts = handed_over(self.workspace, sprint, stage) if sprint and stage else ()
        return self._artifacts

    def gates(self) -> "tuple[StageGates, Facts] | None":
        """Return the current stage's gates and the facts behind them; None between two stages. Raises `ask_stage`'s."""
        sprint, stage = self.standing.sprint, self.standing.stage
        if self._asked is None and sprint and stage:
            from verifflowcc.services.gates import ask_stage_with_facts

            self._asked = ask_stage_with_facts(self.workspace, sprint.id)
        return self._asked
