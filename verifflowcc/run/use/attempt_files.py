"""What is kept of an attempt outside of git: its prompt, its session, how it ended. All of it may be deleted."""

import shutil
from json import dumps, loads
from pathlib import Path
from typing import TypeVar

from verifflowcc.base.errors import FormatError
from verifflowcc.base.files.write import write_atomic
from verifflowcc.base.records import dataclass
from verifflowcc.base.text.record_codec import record_from_json, record_to_json
from verifflowcc.run.rules.agent_port import AgentEnding
from verifflowcc.run.store.run_tree import RunPlace

PROMPT, SESSION, SPAWNED, ENDING, GUARDED = "prompt.md", "session", "spawned", "ending.json", "guarded.json"
FAULTS = "faults.json"
_Record = TypeVar("_Record")


@dataclass(frozen=True, slots=True)
class GitFaults:
    """What an agent did to git itself, each as `path (reason)`: in its files, and as refs of its own."""

    files: tuple[str, ...] = ()
    refs: tuple[str, ...] = ()


def record_in(kind: type[_Record], text: str, name: str) -> _Record | None:
    """Return the record that a JSON text holds; None where it holds none of this kind."""
    try:
        return record_from_json(kind, loads(text), name)
    except (ValueError, LookupError, TypeError, FormatError):
        return None


@dataclass(frozen=True, slots=True)
class AttemptFiles:
    """The files of one attempt."""

    place: RunPlace
    attempt: str

    @property
    def folder(self) -> Path:
        """Where they lie; the client keeps its raw output there, too."""
        return self.place.folder / self.attempt

    def clear(self) -> None:
        """Remove what a start that was not completed left."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def write_prompt(self, text: str) -> None:
        """Keep what the agent is given."""
        write_atomic(self.folder / PROMPT, text)

    def prompt(self) -> str | None:
        """Return what the agent is given; None where it is not kept."""
        try:
            return (self.folder / PROMPT).read_bytes().decode("utf-8", "replace")
        except OSError:
            return None

    def write_session(self, session: str) -> None:
        """Keep the session that the client reported."""
        if self.session() != session:
            write_atomic(self.folder / SESSION, session)

    def session(self) -> str:
        """Return the session that the client reported; empty where it did not."""
        return self._text(SESSION)

    def note_spawn(self, commit: str) -> None:
        """Note that the client is about to start in a worktree at this commit, unless that is noted already."""
        if not self.was_spawned():
            write_atomic(self.folder / SPAWNED, commit)

    def spawned_at(self) -> str:
        """Return the commit of the worktree when the client was first started; empty where it was not."""
        return self._text(SPAWNED)

    def was_spawned(self) -> bool:
        """Whether the client was started before, and did not end."""
        return (self.folder / SPAWNED).exists()

    def write_ending(self, ending: AgentEnding) -> None:
        """Keep how the client ended."""
        write_atomic(self.folder / ENDING, dumps(record_to_json(ending), sort_keys=True))

    def ending(self) -> AgentEnding | None:
        """Return how the client ended; None where it did not, or that is not kept."""
        return record_in(AgentEnding, self._text(ENDING), ENDING)

    def write_guarded(self, found: dict[str, str]) -> None:
        """Keep the digests of git's own files before the start, unless they are kept already."""
        if not (self.folder / GUARDED).exists():
            write_atomic(self.folder / GUARDED, dumps(found, sort_keys=True))

    def guarded(self) -> dict[str, str] | None:
        """Return the digests that were kept; None where none were."""
        try:
            return {str(name): str(value) for name, value in loads(self._text(GUARDED)).items()}
        except (ValueError, AttributeError):
            return None

    def write_faults(self, faults: GitFaults) -> None:
        """Keep what an agent did to git on the machine where it worked."""
        write_atomic(self.folder / FAULTS, dumps(record_to_json(faults), sort_keys=True))

    def faults(self) -> GitFaults:
        """Return what an agent did to git on another machine; nothing where it worked here."""
        return record_in(GitFaults, self._text(FAULTS), FAULTS) or GitFaults()

    def _text(self, name: str) -> str:
        try:
            return (self.folder / name).read_bytes().decode("utf-8", "replace").strip()
        except OSError:
            return ""
