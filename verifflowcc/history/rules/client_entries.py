"""The entries that make each client run vfcc at its hooks: their file and form, and faults that switch them off."""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping

from verifflowcc.base.model.agent_clients import CLIENTS, FILES, LOCAL_FILE
from verifflowcc.base.records import dataclass
from verifflowcc.base.text.json_edit import Json
from verifflowcc.history.rules.client import client_of
from verifflowcc.history.rules.client_doors import GIT, Door, DoorTexts, common_doors, git_door

EVENTS = {name: client_of(name).events for name in FILES}
"""The events that each client's entries are for, in its own words, and Claude Code's name of each."""
VERSION = 1
SETUPS = (*sorted(CLIENTS), GIT)
"""What `vfcc integrate` sets up."""


@dataclass(frozen=True, slots=True)
class Target:
    """A client, and its file in the project; `local` is a file that is for one person alone."""

    client: str
    path: str
    local: bool = False


def target_of(client: str, *, local: bool = False) -> Target:
    """Return where a client's entries go; Claude Code alone has a file that is for one person."""
    return Target(client, LOCAL_FILE if local and client == "claude" else FILES[client], local)


def doors_of(client: str, texts: DoorTexts) -> tuple[Door, ...]:
    """Return what a client, or git, reads of a project besides hooks."""
    if client == GIT:
        return (git_door(),)
    return (*common_doors(texts), *client_of(client).doors(texts))


def entries(client: str) -> dict[str, Mapping[str, Json]]:
    """Return the entry for each event of a client, in its own words."""
    return {event: client_of(client).entry(event) for event in EVENTS[client]}


def is_ours(client: str, entry: object) -> bool:
    """Say whether an entry, or a hook in it, runs `vfcc hook` for a client, whatever else somebody made of it."""
    if not isinstance(entry, Mapping):
        return False
    if _runs(client, entry):
        return True
    inner = entry.get("hooks")
    return isinstance(inner, list) and any(isinstance(each, Mapping) and _runs(client, each) for each in inner)


def command_lines(hook: Mapping[str, object]) -> Iterator[str]:
    """Yield what a hook runs, on each system."""
    arguments = hook.get("args")
    words = [each for each in arguments if isinstance(each, str)] if isinstance(arguments, list) else []
    for key in ("command", "exec", "bash", "powershell"):
        if isinstance(line := hook.get(key), str):
            yield " ".join((line, *words))


def _runs(client: str, hook: Mapping[str, object]) -> bool:
    ours = re.compile(rf"(?:^|[\s/'\"])vfcc(?:\.exe)?['\"]?\s+hook\s+{client}(?!\w)")
    return any(ours.search(line) for line in command_lines(hook))


def next_steps(client: str, path: str) -> tuple[str, ...]:
    """Return what is left to do after a client's file was written, a sentence each."""
    return tuple(step.replace("{path}", path) for step in client_of(client).steps)


# Faults for which a client ignores vfcc's hooks without a message.

MISPLACED = {path: name for name in CLIENTS for path in client_of(name).misplaced}
"""Files that look right and that no client reads hooks from."""

_CODEX_TIMEOUT_S = 600


@dataclass(frozen=True, slots=True)
class Fault:
    """What makes a client ignore vfcc's entries, and whether writing them again mends it."""

    words: str
    rewritten: bool = False


def faults(client: str, value: Mapping[str, object]) -> Iterator[Fault]:
    """Yield what makes a client ignore vfcc's entries in its file."""
    hooks = value.get("hooks")
    for event in EVENTS[client]:
        if any(is_ours(client, each) for each in _listed(value.get(event))):
            yield Fault(f'"{event}" is beside "hooks" and not in it')
    for event, listed in hooks.items() if isinstance(hooks, Mapping) else ():
        for entry in _listed(listed):
            if is_ours(client, entry) and isinstance(entry, Mapping):
                yield from (Fault(words, rewritten=True) for words in _of_entry(client, str(event), entry))
    if client_of(client).versioned and "version" not in value:
        yield Fault('it names no "version"', rewritten=True)
    yield from map(Fault, client_of(client).faults(value))


def misplaced(path: str, text: str) -> bool:
    """Say whether a file that no client reads hooks from names a hook of ours."""
    return re.search(rf"vfcc[\"',\s\\\[:a-z]+hook[\"',\s]+{MISPLACED[path]}", text) is not None


def untrusted(config: Mapping[str, object], root: str, value: Mapping[str, object]) -> str:
    """Return why Codex does not run vfcc's entries in a project; empty where its settings let it.

    `config` is what its `config.toml` says, `root` the project's folder, `value` its `.codex/hooks.json`.
    """
    projects, hooks = config.get("projects"), config.get("hooks")
    project = projects.get(root) if isinstance(projects, Mapping) else None
    if not isinstance(project, Mapping) or project.get("trust_level") != "trusted":
        return "Codex does not trust this folder, and runs none of its hooks"
    states = hooks.get("state") if isinstance(hooks, Mapping) else None
    wanted = dict(_hashes(f"{root}/{FILES['codex']}", value))
    known = {
        place: state.get("trusted_hash")
        for place, state in (states.items() if isinstance(states, Mapping) else ())
        if isinstance(state, Mapping)
    }
    missing = [place for place, digest in wanted.items() if known.get(place) != digest]
    return (
        f"Codex does not run {len(missing)} of {len(wanted)} hooks, because they are not trusted yet" if missing else ""
    )


def _of_entry(client: str, event: str, entry: Mapping[str, object]) -> Iterator[str]:
    if event not in EVENTS[client]:
        yield f'"{event}" is no event of {client} that vfcc knows'
    inner, grouped = entry.get("hooks"), client_of(client).grouped
    if grouped and not isinstance(inner, list):
        yield f'the hook under "{event}" is in no group, which is {{"hooks": [...]}}'
    if not grouped and isinstance(inner, list):
        yield f'the hook under "{event}" is in a group, which {client} does not have'
    for hook in _listed(inner) or [entry]:
        if client_of(client).ignores_args and isinstance(hook, Mapping) and "args" in hook:
            yield f'{client} ignores the "args" of the hook under "{event}"'


def _hashes(path: str, value: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Yield the name of each hook of ours in Codex's settings, and the digest of what was trusted."""
    hooks = value.get("hooks")
    for event, listed in hooks.items() if isinstance(hooks, Mapping) else ():
        snake = re.sub(r"(?<!^)([A-Z])", r"_\1", str(event)).lower()
        for place, group in enumerate(_listed(listed)):
            if not isinstance(group, Mapping) or not is_ours("codex", group):
                continue
            for number, hook in enumerate(_listed(group.get("hooks"))):
                if not isinstance(hook, Mapping):
                    continue
                timeout = hook.get("timeout", _CODEX_TIMEOUT_S)
                reduced = {"async": False, "command": hook.get("command"), "timeout": timeout, "type": "command"}
                trusted: dict[str, object] = {"event_name": snake, "hooks": [reduced]}
                if "matcher" in group:
                    trusted["matcher"] = group["matcher"]
                text = json.dumps(trusted, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
                digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
                yield f"{path}:{snake}:{place}:{number}", f"sha256:{digest}"


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else []
