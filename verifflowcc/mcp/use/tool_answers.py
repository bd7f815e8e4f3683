"""What the tools answer a model: texts within a number of tokens, and who calls."""

import shlex
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from verifflowcc.base.model.agent_clients import CLIENTS
from verifflowcc.base.model.command_classes import CI_TOO, PERSON, class_of
from verifflowcc.base.model.people import UNKNOWN
from verifflowcc.base.model.recall_values import Hit
from verifflowcc.base.records import dataclass
from verifflowcc.base.text.hidden_text import printable
from verifflowcc.base.text.plain_words import counted, plain_line
from verifflowcc.base.text.secrets import withhold
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.code.rules.code_views import CommandForTests, ReachedCode
from verifflowcc.code.rules.graph import CONFIDENT, LocatedDefinition, ReferenceLink
from verifflowcc.gates.use.next_action import NextStep
from verifflowcc.history.use.prompt_record import project_counter
from verifflowcc.memory.use.stores import open_store
from verifflowcc.sprint.use.sprint_reading import active_sprint

# What a tool answers: text for a model, its last line the next step, within a number of tokens.

MOST_TOKENS = 1500
"""The most that an answer takes unless a budget is given."""


MOST_CHARACTERS = 40_000
"""Two clients cut a result in the middle, or put it into a file, from about 45,000 characters on."""


_SURELY_FITS = 1400


_TOOLS = {"stage advance": "advance", "evidence run": "check", "next": "next", "check gate": "check"}


@dataclass(frozen=True, slots=True)
class ToolText:
    """The text of an answer; `refused` says that nothing was done."""

    text: str
    refused: bool = False


def answer(workspace: Workspace, lines: Sequence[str], step: str, *, budget_tokens: int = MOST_TOKENS) -> ToolText:
    """Return lines as an answer within a budget; what does not fit is counted, and the last line is the next step."""
    shown = [printable(withhold(line)) for text in lines for line in text.split("\n")]
    last = f"next: {printable(step)}"
    whole = "\n".join([*shown, last])
    if len(whole) <= min(_SURELY_FITS, budget_tokens):
        return ToolText(whole)
    with project_counter(workspace) as counter:
        fits = _most_that_fit(shown, last, lambda text: counter.count(text) <= budget_tokens)
    if fits < len(shown):
        shown = [*shown[:fits], _missing(len(shown) - fits)]
    return ToolText("\n".join([*shown, last]))


def refusal(message: str, step: str) -> ToolText:
    """Return why nothing was done, and what leads on."""
    reason = printable(withhold(message))[: MOST_CHARACTERS // 8]
    return ToolText(f"refused: {reason}\nnext: {printable(step)}", refused=True)


def step_of(command: str | None, stay: str = "") -> str:
    """Return a command of `vfcc` as the call that does it; `stay` is the stay in the active stage.

    >>> step_of("vfcc stage put plan.md  # or write it")
    'put(name="plan.md", text=…)'
    >>> step_of("vfcc approve plan")
    'only a person can do this, at a terminal: vfcc approve plan'
    >>> step_of("vfcc trace list"), step_of("write a test, then: vfcc evidence run red-first")
    ('in a shell: vfcc trace list', 'write a test, then: check(criterion="red-first")')
    """
    if not command:
        return "next()"
    first, then, last = command.partition(", then: ")
    if then and last.startswith("vfcc "):
        return f"{first}, then: {step_of(last, stay)}"
    words = command.partition("  # ")[0].split()
    if not words or words[0] != "vfcc":
        return command
    if words[1:3] == ["stage", "put"] and "--stage" not in words:
        return f'put(name="{words[3]}", text=…)'
    if class_of(words[1:]) in (PERSON, CI_TOO):
        return f"only a person can do this, at a terminal: {' '.join(words)}"
    if words[1:3] == ["sprint", "close"]:
        return 'advance(stage="close")'
    tool = next((name for start, name in _TOOLS.items() if words[1:] == start.split()), None)
    if tool == "advance":
        return f'advance(stage="{stay}")' if stay else "next()"
    if words[1:3] == ["evidence", "run"]:
        return f'check(criterion="{words[3]}")' if len(words) > 3 and not words[3].startswith("-") else "check()"
    return f"{tool}()" if tool else f"in a shell: {command}"


def _most_that_fit(lines: Sequence[str], last: str, fits: Callable[[str], bool]) -> int:
    low, high = 0, len(lines)
    while low < high:
        middle = (low + high + 1) // 2
        missing = [_missing(len(lines) - middle)] if middle < len(lines) else []
        text = "\n".join([*lines[:middle], *missing, last])
        if len(text) <= MOST_CHARACTERS and fits(text):
            low = middle
        else:
            high = middle - 1
    return low


def _missing(count: int) -> str:
    return f"({count} more lines were left out; ask for less, or with a larger budget)"


# Who calls over MCP: an agent, always, by the client that it runs in.
#
# A client names itself, so the name is looked up among those that are known; another one is an agent without a name.
# It is never the name of a person or of a role, whatever the client or the environment of the server says.

_NAMED = (*CLIENTS, "zed", "windsurf", "kiro")
"""The clients that vfcc sets up, and others that name themselves."""


_OTHER_NAMES = {"visual studio code": "vscode", "github-copilot": "copilot"}


_TOOL_USE = "claudecode/toolUseId"
"""Claude Code's id of a call, which is the same where it sends one again."""


@dataclass(frozen=True, slots=True)
class Caller:
    """An agent's client, as the ledger names it, and its own id of the call; empty where it gives none."""

    actor: str
    call_id: str = ""


def caller_of(client: str, params: Mapping[str, Any]) -> Caller:
    """Return who calls.

    >>> caller_of("claude-code", {}).actor, caller_of("human:Ada", {}).actor
    ('agent:claude', 'agent:unknown')
    """
    name = client.casefold()
    name = next((known for other, known in _OTHER_NAMES.items() if other in name), name)
    known = next((each for each in _NAMED if each in name), None)
    about = params.get("_meta")
    call = about.get(_TOOL_USE) if isinstance(about, Mapping) else None
    return Caller(f"agent:{known}" if known else UNKNOWN, call[:200] if isinstance(call, str) else "")


# What the code graph answers a model: one line for each place, as `path:line`.

_MOST = 40
_FEW = 10
_LONGEST_LINE = 1000


def _context(workspace: Workspace, of: str, budget: int) -> list[str]:
    from verifflowcc.prompt.use.code_touching import show_context

    found = show_context(workspace, of, budget)
    return [found.text.rstrip("\n") or "no code matches the task", *found.notices]


def _map(workspace: Workspace, _: str, budget: int) -> list[str]:
    from verifflowcc.prompt.use.code_touching import show_map

    found = show_map(workspace, budget)
    return [found.text.rstrip("\n"), *found.notices]


def _find(workspace: Workspace, of: str, _: int) -> list[str]:
    from verifflowcc.code.use.graph_questions import find_symbols

    found = find_symbols(workspace, of, None, _MOST)
    left = found.total - len(found.found)
    return [*(_code_text_place(each) for each in found.found), *([f"and {left} more"] if left else []), *found.notices]


def _file(workspace: Workspace, of: str, _: int) -> list[str]:
    from verifflowcc.code.use.graph_questions import file_outline

    found = file_outline(workspace, of)
    rows = [f"{'  ' * row.depth}{row.line}: {row.signature or row.name}" for row in found.symbols]
    imports = dict.fromkeys(path for each in found.imports for path in each.files)
    return [f"{found.path}: {found.lines} lines", *rows, *([f"imports: {', '.join(imports)}"] if imports else [])]


def _callers(workspace: Workspace, of: str, _: int) -> list[str]:
    return _relations(workspace, "callers", of)


def _callees(workspace: Workspace, of: str, _: int) -> list[str]:
    return _relations(workspace, "callees", of)


def _relations(workspace: Workspace, kind: str, of: str) -> list[str]:
    from verifflowcc.code.use.graph_questions import relations

    found = relations(workspace, kind, of)
    lines = []
    for each in found.symbols:
        sure = [link for link in each.links if link.confidence >= CONFIDENT]
        possible = [link for link in each.links if 0 < link.confidence < CONFIDENT]
        lines.append(f"{_code_text_place(each.symbol)}: {len(sure)} {kind}, {len(possible)} more are possible")
        lines += [f"  {_link(link, kind)}" for link in (*sure, *possible)[:_MOST]]
    return [*lines, *found.notices]


def _impact(workspace: Workspace, of: str, _: int) -> list[str]:
    from verifflowcc.prompt.use.code_touching import code_impact

    found = code_impact(workspace, of)
    sure, possible, farther = found.in_product()
    places = [f"{counted(len(found.reached), 'place')} in product code", counted(len(found.tests), "test")]
    lines = [f"a change reaches {' and '.join(places)}", *(_code_text_place(each) for each in found.symbols[:_FEW])]
    lines += [] if found.whole else ["more code uses this than is followed: run all tests"]
    lines += _first(_FEW * 2, [_link(each, "callers") for each in sure])
    lines += _first(_FEW * 2, [_farther(each) for each in farther])
    lines += _first(_FEW, [f"only possible: {_link(each, 'callers')}" for each in possible])
    lines += _first(_FEW, [f"imported by {path}" for path in dict.fromkeys(each.path for each in found.imported_by)])
    lines += [f"{each.type} {each.id}: {each.title} ({each.why})" for each in (*found.items, *found.memories)]
    files = Counter(each.path for each in found.affected_tests)
    lines += _first(_FEW, [f"test {path}: {counted(number, 'test')}" for path, number in files.items()])
    return [*lines, *(f"run: {_command(each, of)}" for each in found.commands)]


def _first(most: int, lines: Sequence[str]) -> list[str]:
    return [*lines[:most], *([f"and {len(lines) - most} more"] if len(lines) > most else [])]


def _farther(each: ReachedCode) -> str:
    return f"{each.path}:{each.line} in {each.name or 'the file'}, through {each.through.rpartition('::')[2]}"


def _command(each: CommandForTests, of: str) -> str:
    """A command line of a hundred tests would push out everything else."""
    long = len(each.command) > _LONGEST_LINE
    return f"`vfcc code impact {shlex.quote(of)} --format {each.format}` prints the command" if long else each.command


def _link(link: ReferenceLink, kind: str) -> str:
    if kind == "callees" and link.candidate:
        return f"{link.path}:{link.line} {link.name} → {link.candidate.path} ({link.confidence} %)"
    return f"{link.path}:{link.line} in {link.symbol or 'the file'} ({link.confidence} %)"


CODE_ANSWERS: Mapping[str, Callable[[Workspace, str, int], list[str]]] = {
    "context": _context,
    "find": _find,
    "callers": _callers,
    "callees": _callees,
    "file": _file,
    "impact": _impact,
    "map": _map,
}
"""How each question is answered: in a project, of what, within how many tokens."""


# Show items of memory to a model in few lines, their text quoted.

_LONGEST = 400


def hit_lines(workspace: Workspace, hits: Sequence[Hit]) -> list[str]:
    """Return items that were found: what each is and says, and what is wrong with it."""
    bodies = _bodies(workspace, hits)
    return [line for hit in hits for line in _hit_lines(hit, bodies[hit.scope, hit.item.id])]


def _hit_lines(hit: Hit, body: str) -> list[str]:
    item = hit.item
    flags = [f"trust {item.trust}", *(each for each in (hit.invalid_reason, hit.stale) if each)]
    if str(item.status) != "active":
        flags.append(str(item.status))
    head = f"- {item.type} {item.id} ({', '.join(flags)}): {plain_line(item.title, 200)}"
    return [head, *([f"  > {plain_line(body, _LONGEST)}"] if body and body != item.title else [])]


def _bodies(workspace: Workspace, hits: Sequence[Hit]) -> dict[tuple[str, str], str]:
    """Return the text of each item by its scope and id; each store is opened once."""
    found = {}
    for scope in dict.fromkeys(hit.scope for hit in hits):
        with open_store(workspace, scope) as store:
            for name in (hit.item.id for hit in hits if hit.scope == scope):
                stored = store.get(name)
                found[scope, name] = stored.body.strip() if stored else ""
    return found


def place_lines(workspace: Workspace, step: NextStep) -> list[str]:
    """Return the sprint and stage of a step, the goals, and why it is next."""
    if step.sprint is None:
        return [step.why]
    state = active_sprint(workspace, step.sprint)
    where = f"stage {state.current}" if state.current else str(state.status)
    stage = state.stage(state.current) if state.current else None
    role = f", role {stage.stage.role}" if stage else ""
    goals = [f"goals: {'; '.join(state.goals)}"] if state.goals else []
    return [
        f"sprint {state.id} ({state.title}): {where}{role}{f' ({step.chosen_by})' if step.chosen_by else ''}",
        *goals,
        step.why,
    ]


def _code_text_place(found: LocatedDefinition) -> str:
    return f"{found.path}:{found.line} {found.signature or f'{found.kind} {found.name}'}"
