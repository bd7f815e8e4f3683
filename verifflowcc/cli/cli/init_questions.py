"""The questions of `vfcc init`, for a person at a terminal: four at most, each with a default that Enter takes."""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from verifflowcc.base.errors import ConfigError
from verifflowcc.base.model.agent_clients import FILES
from verifflowcc.base.records import dataclass, replace
from verifflowcc.base.terminal import output as out
from verifflowcc.base.text.plain_words import nearest
from verifflowcc.cli.use.initialise import ProjectFacts, ToolFact, configuration_text, suggested_commands
from verifflowcc.sprint.cli.allow_output import plain, table
from verifflowcc.sprint.use.allow_use import CommandTable, planned_commands
from verifflowcc.sprint.use.command_guess import Suggestion, typed_command
from verifflowcc.sprint.use.configuration import shipped_workflows

_YES = frozenset({"y", "yes"})
_NO = frozenset({"n", "no"})
_NONE = _NO | {"none"}


@dataclass(frozen=True, slots=True)
class InitAnswers:
    """The answers; `allowed` is the table of commands that the person saw and allowed, None without a yes."""

    workflow: str
    commands: tuple[Suggestion, ...]
    allowed: CommandTable | None
    clients: tuple[str, ...]
    title: str


def ask(root: Path, facts: ProjectFacts, workflow: str | None) -> InitAnswers:
    """Ask, with nothing written yet; `workflow` is not asked for where the command names it.

    Raises typer.Abort where the person leaves by Ctrl-C or Ctrl-D.
    """
    out.say("\n".join(facts_lines(root, facts)))
    count = _Counter(4 if workflow is None else 3)
    chosen = workflow or _workflow(count)
    commands, allowed = _commands(root, chosen, count)
    clients = _clients(facts, count)
    title = _answer(f"{count()} Title of the first sprint [none]: ")
    return InitAnswers(chosen, commands, allowed, clients, "" if title.lower() in _NONE else title)


def facts_lines(root: Path, facts: ProjectFacts) -> list[str]:
    """Return the tools that were found, a line for each subject, and how the questions work."""
    subjects: tuple[tuple[str, tuple[ToolFact, ...]], ...] = (
        ("language", facts.languages),
        ("tests", facts.tests),
        ("lint", facts.lint),
        ("coverage", facts.coverage),
        ("CI", facts.ci),
        ("agents", facts.agents),
    )
    lines = [f"{subject + ':':<10}{_listed(found)}" for subject, found in subjects if found]
    head = f"Found in {root}:" if lines else f"Found no tool in {root}."
    return [head, *(f"  {line}" for line in lines), "Enter takes the answer in brackets; Ctrl-C changes nothing."]


@dataclass(frozen=False, slots=True)
class _Counter:
    """Numbers the questions: `1/4`."""

    last: int
    asked: int = 0

    def __call__(self) -> str:
        self.asked += 1
        return f"{self.asked}/{self.last}"


def _listed(found: Sequence[ToolFact]) -> str:
    return ", ".join(f"{each.name} ({each.where})" for each in found)


def _workflow(count: Callable[[], str]) -> str:
    names = sorted(shipped_workflows(), key=("light", "agile", "standard", "aspice", "safety").index)
    question = f"{count()} Workflow: {', '.join(names)} [light]: "
    while True:
        answer = _answer(question) or "light"
        if answer in names:
            return answer
        out.say(f"there is no workflow {answer}; did you mean {nearest(answer, names) or 'light'}?")


def _commands(
    root: Path, workflow: str, count: Callable[[], str]
) -> tuple[tuple[Suggestion, ...], CommandTable | None]:
    """Return the commands to write down, and their table where the person allows it.

    As with `vfcc allow`, each command is shown as it would run, together with the code that git runs at a commit, and
    only a yes allows it. A command that the person types is shown in the same way before the question is asked again.
    """
    commands = suggested_commands(root, workflow)
    number = count()
    while True:
        offered = tuple(replace(each, certain=True) if each.name == "test" else each for each in commands)
        shown = _shown(root, workflow, offered)
        doubts = [f"{each.why}\n" for each in commands if each.name == "test" and not each.certain]
        out.say(f"{number} {''.join(doubts)}{table(shown) if shown else 'No test command was recognised.'}")
        answer = _answer(_asked(shown))
        if not answer or answer.lower() in _NONE:
            return commands, None
        if answer.lower() not in _YES:
            commands = _with_typed(root, workflow, commands, answer)
        elif shown:
            return offered, shown


def _shown(root: Path, workflow: str, commands: Sequence[Suggestion]) -> CommandTable | None:
    if not any(each.certain for each in commands):
        return None
    return planned_commands(root, configuration_text(workflow, commands))


def _asked(shown: CommandTable | None) -> str:
    if shown is None:
        return "Test command [none]: "
    these = "this command" if len(shown.names) == 1 else f"these {len(shown.names)} commands"
    return f"Allow {these} on this machine? y, n, or another test command [n]: "


def _with_typed(root: Path, workflow: str, commands: tuple[Suggestion, ...], text: str) -> tuple[Suggestion, ...]:
    """Return the commands with the typed one as the test command; unchanged where it cannot be one."""
    try:
        typed = typed_command(text)
        found = (typed, *(each for each in commands if each.name != "test"))
        planned_commands(root, configuration_text(workflow, found))
    except (ValueError, ConfigError) as error:
        out.say(f"not a command: {plain(text)} ({error.message if isinstance(error, ConfigError) else error})")
        return commands
    if not any("{junit}" in word for word in typed.words):
        out.say("vfcc knows no JUnit report of this command; write {junit} where the path of one belongs")
    return found


def _clients(facts: ProjectFacts, count: Callable[[], str]) -> tuple[str, ...]:
    """Return the clients to set up: those that the project names unless the answer is no, else only those typed."""
    named = tuple(dict.fromkeys(each.name for each in facts.agents))
    offered = named or facts.installed
    files = ", ".join(FILES[name] for name in offered)
    by_default = "y" if named else "n"
    question = (
        f"Hooks for {', '.join(offered)} (writes {files})? y, n, or names [{by_default}]: "
        if offered
        else f"Hooks for an agent's client ({', '.join(FILES)})? names [none]: "
    )
    question = f"{count()} {question}"
    while True:
        answer = _answer(question).lower() or by_default
        if answer in _YES and offered:
            return offered
        if answer in _NONE:
            return ()
        names = tuple(answer.replace(",", " ").split())
        wrong = [name for name in names if name not in FILES]
        if not wrong:
            return names
        out.say(f"no client is called {plain(wrong[0])}; choose from {', '.join(FILES)}")


def _answer(question: str) -> str:
    """Return the line that the person typed, without spaces around it. Raises typer.Abort where there is none."""
    import typer

    out.write(sys.stderr, question)
    line = sys.stdin.readline()
    if not line.endswith("\n"):
        out.say("")
        raise typer.Abort
    return line.strip()
