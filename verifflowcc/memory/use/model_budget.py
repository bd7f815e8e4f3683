"""Caps on the use of a model: calls and tokens, per turn and per day.

They hold across processes: what another one spends at the same time counts.

The caps are a person's, so that what counts against them is kept with the person, and not once in each project.
"""

from pathlib import Path

from verifflowcc.base.errors import ModelError
from verifflowcc.base.model.config_values import ModelSettings
from verifflowcc.base.records import dataclass
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.memory.rules.metric_lines import count_line, read_metrics
from verifflowcc.memory.use.access_counts import log_folder, moment

CALLS, TOKENS = "model.calls", "model.tokens"
LEAST_ANSWER = 200
"""Tokens below which an answer is not worth asking for."""


@dataclass(frozen=True, slots=True)
class ModelSpending:
    """Calls, and tokens in and out together."""

    calls: int = 0
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class Reservation:
    """What was taken off the caps of the day of `at` before a call: `most_out` tokens are left for its answer."""

    tokens: int
    most_out: int
    at: str


@dataclass(frozen=True, slots=True)
class Budget:
    """A person's caps, and the log beside which they are counted: its folder, and the one that it must not leave."""

    workspace: Workspace | None
    settings: ModelSettings
    folder: Path
    inside: Path

    def reserve(self, tokens_in: int, turn: ModelSpending, most_calls: int) -> Reservation:
        """Take a call, its prompt and the answer that is possible off the caps; `turn` is what the turn has spent.

        Raises ModelError (`capped`) where a cap does not allow it, WorkspaceError, ConflictError.
        """
        from verifflowcc.memory.store.access_log import add_after_reading

        if turn.calls >= most_calls:
            raise _capped(f"{most_calls} calls for a turn (memory.max_llm_calls_per_turn)")
        room = self.settings.max_tokens_per_turn - turn.tokens - tokens_in
        if room < LEAST_ANSWER:
            raise _capped(f"{self.settings.max_tokens_per_turn:,} tokens for a turn (llm.max_tokens_per_turn)")
        taken: list[Reservation] = []

        def decide(data: bytes) -> bytes:
            at = moment(self.workspace)
            taken.append(self._of_the_day(spent_on(data, at[:10]), at, tokens_in, room))
            return _lines(at, 1, taken[0].tokens)

        add_after_reading(self.folder, self.inside, decide, moment(self.workspace)[:10])
        return taken[0]

    def settle(self, reserved: Reservation, tokens: int | None) -> int:
        """Give back what a call did not take; with None for tokens, all of it counts.

        It goes back to the day of which it was taken: the caps of a new day are not raised by it. Returns the tokens
        that count. Raises WorkspaceError, ConflictError.
        """
        from verifflowcc.memory.store.access_log import add_metrics

        counted = reserved.tokens if tokens is None else tokens
        if counted != reserved.tokens:
            lines = _lines(reserved.at, 0, counted - reserved.tokens)
            add_metrics(self.folder, self.inside, lines, moment(self.workspace)[:10])
        return counted

    def _of_the_day(self, today: ModelSpending, at: str, tokens_in: int, room: int) -> Reservation:
        if today.calls >= self.settings.max_calls_per_day:
            raise _capped(f"{self.settings.max_calls_per_day:,} calls for a day (llm.max_calls_per_day)")
        room = min(room, self.settings.max_tokens_per_day - today.tokens - tokens_in)
        if room < LEAST_ANSWER:
            raise _capped(f"{self.settings.max_tokens_per_day:,} tokens for a day (llm.max_tokens_per_day)")
        return Reservation(tokens_in + room, room, at)


def open_budget(workspace: Workspace | None, settings: ModelSettings) -> Budget:
    """Return the person's budget. Raises WorkspaceError where there is no home."""
    folder, inside = log_folder(workspace, of_user=True)
    return Budget(workspace, settings, folder, inside)


def spent_today(workspace: Workspace | None) -> ModelSpending:
    """Return what this person spent today, in UTC, in all projects. Raises WorkspaceError."""
    from verifflowcc.memory.store.access_log import read_metrics_log

    return spent_on(read_metrics_log(log_folder(workspace, of_user=True)[0]), moment(workspace)[:10])


def spent_on(data: bytes, day: str) -> ModelSpending:
    """Return what the lines of a log say of one day; lines of other days are not parsed."""
    begins = f'{{"at":"{day}'.encode()
    lines = b"\n".join(line for line in data.split(b"\n") if line.startswith(begins))
    found = read_metrics(lines).counted
    calls, tokens = (sum(each.by for each in found if each.metric == name) for name in (CALLS, TOKENS))
    return ModelSpending(max(calls, 0), max(tokens, 0))


def _lines(at: str, calls: int, tokens: int) -> bytes:
    counts = ((CALLS, calls), (TOKENS, tokens))
    return b"".join(count_line(at, metric, by) for metric, by in counts if by)


def _capped(what: str) -> ModelError:
    return ModelError(f"the cap of {what} is reached", why="capped", tokens=0)
