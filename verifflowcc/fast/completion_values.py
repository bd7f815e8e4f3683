"""The values that a project has for an option or an argument: read from its files, with titles.

What cannot be read is left out: completion only helps, and the command itself reports what is wrong. Values that need
quotes in a shell are left out too, since some shells insert a value as it is.
"""

from os import O_NONBLOCK, O_RDONLY, close, environ, getcwd, scandir, stat
from os import open as open_file
from os import read as read_bytes

from verifflowcc.base.text import quick_json

MOST_FILES = 2000
"""So many items are read; of more, those alone whose file is named as the word begins."""
_HEAD = 4096
_DEPTH = 8
_IN_VALUES = frozenset("._-/@+")
_SCOPES = ("project", "sprint", "stage", "agent")

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from os import DirEntry

    from verifflowcc.base.text.quick_json import Json

    Values = list[tuple[str, str]]


def values(
    kind: str, fixed: "dict[str, Values]", current: str, given: "dict[str, str]", arguments: "list[str]"
) -> "Values":
    """Return the values of a kind with descriptions: of the project around this folder, else the `fixed` ones.

    `current` is the word that they are to complete; `given` and `arguments` are what the line has before it.
    """
    root = _root()
    read = _READ.get(kind)
    if not root or read is None:
        return fixed.get(kind, [])
    found = read(_CompletionRequest(root, kind, fixed, current, given, arguments))
    return [(value, about) for value, about in found if is_plain(value)]


def is_plain(value: str) -> bool:
    """Say whether a value means itself to every shell, beside any other text."""
    return bool(value) and value[0] not in "-." and all(each.isalnum() or each in _IN_VALUES for each in value)


class _CompletionRequest:
    """What is asked, and in which project."""

    def __init__(
        self,
        root: str,
        kind: str,
        fixed: "dict[str, Values]",
        current: str,
        given: "dict[str, str]",
        arguments: "list[str]",
    ) -> None:
        self.memory, self.fixed, self.known = f"{root}/.memory", fixed, fixed.get(kind, [])
        self.current, self.given, self.arguments = current, given, arguments


def _root() -> str:
    """Return the nearest folder with a `.memory/` from here upwards; empty where there is none."""
    try:
        folder = getcwd()
    except OSError:
        return ""
    while folder.startswith("/"):
        folder = folder.rstrip("/")
        try:
            stat(f"{folder}/.memory")
        except OSError:
            folder = folder.rpartition("/")[0]
        else:
            return folder
    return ""


def _entries(folder: str) -> "list[DirEntry[str]]":
    """Return what is in a folder by name, without hidden files and symbolic links; nothing where it cannot be read."""
    try:
        with scandir(folder) as found:
            kept = [each for each in found if not each.name.startswith(".") and not each.is_symlink()]
    except OSError:
        return []
    return sorted(kept, key=lambda each: each.name)


def _folders(folder: str) -> "list[str]":
    return [each.name for each in _entries(folder) if each.is_dir(follow_symlinks=False)]


def _head(path: str, size: int = _HEAD) -> str:
    """Return the beginning of a file; nothing where it cannot be read, or is a pipe that would make it wait."""
    try:
        handle = open_file(path, O_RDONLY | O_NONBLOCK)
        try:
            return read_bytes(handle, size).decode("utf-8", "replace")
        finally:
            close(handle)
    except OSError:
        return ""


def _agents(asked: _CompletionRequest) -> "Values":
    own = [(name, "") for name in _folders(f"{asked.memory}/agent")]
    return own or asked.known


def _sprints(asked: _CompletionRequest) -> "Values":
    found = [(name, str(_started(asked, name).get("title", ""))) for name in _all_sprints(asked)]
    return [(name, title) for name, title in found if title]


def _all_sprints(asked: _CompletionRequest) -> "list[str]":
    """Return the ids of all sprints, the last first."""
    return _folders(f"{asked.memory}/sprint")[::-1]


def _named_sprints(asked: _CompletionRequest) -> "list[str]":
    """Return the sprint that the line or the environment names; all sprints where there is no such sprint."""
    named = asked.given.get("--sprint") or environ.get("VFCC_SPRINT")
    found = _all_sprints(asked)
    return [named] if named in found else found


def _events(asked: _CompletionRequest, sprint: str) -> "list[str]":
    found = _entries(f"{asked.memory}/sprint/{sprint}/events")
    return [each.path for each in found if each.is_file(follow_symlinks=False)]


def _first(path: str) -> "dict[str, Json]":
    """Return the first event of a file; nothing where it cannot be read."""
    try:
        value = quick_json.read(_head(path, 1 << 20).partition("\n")[0])
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _started(asked: _CompletionRequest, sprint: str) -> "dict[str, Json]":
    """Return the payload of the event that started a sprint; nothing where there is none."""
    for path in _events(asked, sprint):
        event = _first(path)
        if not event.get("parents") and isinstance(event.get("payload"), dict):
            payload: dict[str, Json] = event["payload"]
            return payload
    return {}


def _stages_asked(asked: _CompletionRequest) -> "list[dict[str, Json]]":
    """Return the stages of the sprint that is named; those of all sprints, the last first, where none is."""
    found: list[dict[str, Json]] = []
    for sprint in _named_sprints(asked):
        workflow = _started(asked, sprint).get("workflow")
        found += (workflow.get("stages") or []) if isinstance(workflow, dict) else []
    return found


def _stages(asked: _CompletionRequest) -> "Values":
    return [(stage["id"], stage.get("title", "")) for stage in _stages_asked(asked)] or asked.known


def _criteria(asked: _CompletionRequest) -> "Values":
    stage = asked.given.get("--stage") or "".join(asked.arguments[:1])
    stages = _stages_asked(asked)
    inner = [each for each in stages if each["id"] == stage] or stages
    criteria = [one for each in inner for one in (*each.get("exit", ()), *each.get("enter", ()))]
    return [(each["id"], each.get("title", "")) for each in criteria]


def _workflows(asked: _CompletionRequest) -> "Values":
    own: dict[str, str] = {}
    for line in _head(f"{asked.memory}/workflow.yaml").split("\n"):
        key, colon, value = line.partition(":")
        if colon and key in ("name", "title"):
            own.setdefault(key, value.strip().strip("\"'"))
    return [*asked.known, *([(own["name"], own.get("title", ""))] if "name" in own else ())]


def _commands(asked: _CompletionRequest) -> "Values":
    """Return the names below `gates.commands`, without reading YAML whole."""
    found: Values = []
    inside = False
    for line in _head(f"{asked.memory}/config.yaml", 1 << 16).split("\n"):
        indent = len(line) - len(line.lstrip(" "))
        name, colon, rest = line.strip().partition(":")
        if line.rstrip() == "  commands:":
            inside = True
        elif inside and name and not name.startswith("#"):
            inside = indent > 2
            if indent == 4 and colon:
                found.append((name, rest.strip()))
    return found


def _scopes(asked: _CompletionRequest) -> "Values":
    found: Values = [("project", ""), ("user", "")]
    for sprint in _all_sprints(asked):
        found.append((f"sprint/{sprint}", ""))
        found += [(f"stage/{sprint}/{stage}", "") for stage in _folders(f"{asked.memory}/stage/{sprint}")]
    found += [(f"agent/{name}", "") for name in _folders(f"{asked.memory}/agent")]
    return found + [(f"task/{name}", about) for name, about in _tasks(asked)]


def _tasks(asked: _CompletionRequest) -> "Values":
    folder = f"{asked.memory}/local/tasks"
    facts = [(name, _first(f"{folder}/{name}/task.json")) for name in _folders(folder)]
    return [(name, str(fact.get("description", ""))) for name, fact in facts]


def _baselines(asked: _CompletionRequest) -> "Values":
    found = _entries(f"{asked.memory}/project/baselines")
    return [(each.name[:-5], "") for each in found if each.name.endswith(".json")]


def _evidence(asked: _CompletionRequest) -> "Values":
    found: Values = []
    for sprint in _named_sprints(asked):
        for stage in _folders(f"{asked.memory}/stage/{sprint}"):
            for each in _entries(f"{asked.memory}/stage/{sprint}/{stage}/evidence"):
                about = f"{stage}, {_first(each.path).get('criterion', '')}"
                found.append((each.name.removesuffix(".json"), about))
    return found


def _comments(asked: _CompletionRequest) -> "Values":
    events = [_first(path) for sprint in _named_sprints(asked) for path in _events(asked, sprint)]
    comments = [each for each in events if each.get("type") == "feedback_added"]
    return [(str(each.get("id", "")), str(each["payload"].get("text", ""))) for each in comments]


def _symbols(asked: _CompletionRequest) -> "Values":
    from verifflowcc.cli.store.symbol_names import symbol_names

    path = f"{asked.memory}/local/code.db"
    return [(name, "") for name in symbol_names(path)]


def _items(wanted: "Callable[[str], bool]") -> "Callable[[_CompletionRequest], Values]":
    """Return a reader of the items whose status is wanted, with their titles."""

    def read(asked: _CompletionRequest) -> "Values":
        found: Values = []
        for path in _item_files(asked):
            fields = _front(_head(path))
            if "id" in fields and wanted(fields.get("status", "")):
                found.append((fields["id"], fields.get("title", "")))
        return found

    return read


def _traced(asked: _CompletionRequest) -> "Values":
    """Return the items of the types that the trace has."""
    types = {name for name, _ in asked.fixed["trace type"]}
    fields = [_front(_head(path)) for path in _item_files(asked)]
    return [(each["id"], each.get("title", "")) for each in fields if "id" in each and each.get("type") in types]


def _item_files(asked: _CompletionRequest) -> "list[str]":
    user = f"{environ.get('XDG_DATA_HOME') or environ.get('HOME', '') + '/.local/share'}/vfcc/user"
    folders = [*(f"{asked.memory}/{scope}" for scope in _SCOPES), user]
    paths = [path for folder in folders for path in _pages(folder, _DEPTH)]
    if len(paths) <= MOST_FILES:
        return paths
    word = asked.current.lower()
    return [path for path in paths if path.rpartition("/")[2].lower().startswith(word)][:MOST_FILES]


def _pages(folder: str, depth: int) -> "Iterator[str]":
    for each in _entries(folder):
        if each.is_dir(follow_symlinks=False):
            if depth and each.name != "events":
                yield from _pages(each.path, depth - 1)
        elif each.name.endswith(".md") and each.is_file(follow_symlinks=False):
            yield each.path


def _front(text: str) -> "dict[str, str]":
    """Return id, type, status and title out of the front matter of an item: those that stand on one line each."""
    found: dict[str, str] = {}
    lines = text.replace("\r\n", "\n").split("\n")
    for line in lines[1:] if lines[0] == "---" else ():
        if line == "---":
            break
        key, colon, value = line.partition(": ")
        if colon and key in ("id", "type", "status", "title"):
            found.setdefault(key, value.strip().strip("\"'"))
    return found


_READ: "dict[str, Callable[[_CompletionRequest], Values]]" = {
    "agent": _agents,
    "sprint": _sprints,
    "stage": _stages,
    "criterion": _criteria,
    "workflow": _workflows,
    "command": _commands,
    "scope": _scopes,
    "task": _tasks,
    "baseline": _baselines,
    "evidence": _evidence,
    "comment": _comments,
    "symbol": _symbols,
    "item": _items(lambda status: status != "archived"),
    "pending": _items(lambda status: status == "pending"),
    "archived": _items(lambda status: status == "archived"),
    "trace": _traced,
}
