"""Complete a command line in bash, zsh and fish: commands, options, and values out of the project.

Nothing is written and no process is started. `completion.json` lists what commands take; a test compares it with
the commands. Other shells, and scripts of older versions, are answered by typer, without values.
"""

import sys
from os import chdir, environ

from verifflowcc.base.text import quick_json

MOST = 200
"""So many values are offered; a person who sees more types another letter."""
WIDTH = 60
SHELLS = ("bash", "zsh", "fish")
LISTS_ALL = "63"
"""COMP_TYPE when bash lists the values after a second Tab and inserts none: only then can it show titles."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from verifflowcc.base.text.quick_json import Json

    Table = dict[str, Json]
    Values = list[tuple[str, str]]


def answer(instruction: str) -> bool:
    """Print what a shell asks for and return True; return False where typer must answer."""
    what, _, shell = instruction.partition("_")
    if shell not in SHELLS or what not in ("list", "source"):
        return False
    if what == "source":
        from verifflowcc.cli.cli.app import script

        sys.stdout.write(script(shell))
    else:
        sys.stdout.write(_listed(environ.get("_VFCC_LINE", ""), shell))
    sys.stdout.flush()
    return True


def _listed(line: str, shell: str) -> str:
    """Return `values` or `files` on a line, then what fits the last word of `line`, one to a line."""
    try:
        kind, fitting = complete(words_of(line), shell)
        texts = _shown(fitting[:MOST], shell)
    except Exception:  # noqa: BLE001 - a traceback would end up in the line that a person types
        return "values\n"
    return "\n".join([kind, *texts]).encode("utf-8", "replace").decode("utf-8") + "\n"


def words_of(line: str) -> "list[str]":
    """Return the words of a line as a shell parts them; the last is the one at the cursor, empty after a space.

    >>> words_of('vfcc task start "Fix the'), words_of("vfcc ")
    (['vfcc', 'task', 'start', 'Fix the'], ['vfcc', ''])
    """
    words, word, quote, escaped = [], "", "", False
    for each in line:
        if escaped:
            word, escaped = word + each, False
        elif each == "\\" and quote != "'":
            escaped = True
        elif each == quote:
            quote = ""
        elif each in "'\"" and not quote:
            quote = each
        elif each in " \t\n" and not quote:
            words.append(word)
            word = ""
        else:
            word += each
    return [*(each for each in words if each), word]


def complete(words: "list[str]", shell: str) -> "tuple[str, Values]":
    """Return `values` or `files`, and the values with their descriptions that fit the last of `words`."""
    with open(__file__.rpartition("/")[0] + "/completion.json", encoding="utf-8") as file:
        table: Table = quick_json.read(file.read())
    place = _LinePosition(table["commands"])
    for word in words[1:-1]:
        place.take(word)
    for folder in place.folders:
        chdir(folder)
    current = "" if words[-1] == "=" else words[-1]
    option, equals, value = current.partition("=")
    if not place.waiting and equals and option.startswith("--") and shell != "bash":
        place.take(option)
        kind, found = _values(place, value, table["values"])
        return kind, [(f"{option}={each}", about) for each, about in found]
    if not place.waiting and current.startswith("-"):
        return "values", _fitting(place.options(), current)
    if not place.waiting and (below := place.commands(current)):
        return "values", _fitting(below, current)
    return _values(place, current, table["values"])


class _LinePosition:
    """How far the words of a line lead: which command, what it was given, and the option that waits for a value."""

    def __init__(self, commands: "Table") -> None:
        self._commands = commands
        self.name, self.waiting, self.arguments = "", "", list[str]()
        self.given: dict[str, str] = {}
        self.folders: list[str] = []

    def take(self, word: str) -> None:
        """Go on by one word."""
        if word == "=":  # bash parts --option=value into three words
            return
        if self.waiting:
            if self.waiting == "-C":
                self.folders.append(word)
            self.given[self.waiting], self.waiting = word, ""
        elif word.startswith("-") and word != "-":
            self._take_option(word)
        elif word in self._here().get("commands", ()) or f"{self.name} {word}".strip() in self._commands:
            self.name = f"{self.name} {word}".strip()
        else:
            self.arguments.append(word)

    def _take_option(self, word: str) -> None:
        written, equals, value = word.partition("=")
        for name, (kind, _, _, names) in self._here()["options"].items():
            if written in names:
                self.given[name] = value
                if kind is not None and not equals:
                    self.waiting = name

    def commands(self, current: str) -> "Values":
        """Return the commands below this one, with their help; none once an argument was given.

        Those that are rarely typed are among them once a letter is typed, and where there are no others.
        """
        here = self._here()
        names = [] if self.arguments else here.get("commands", [])
        if not self.arguments and (current or not names):
            names = [*names, *here.get("rarely", [])]
        return [(name, self._commands[f"{self.name} {name}".strip()]["help"]) for name in names]

    def options(self) -> "Values":
        """Return the options that may be given still, with their help."""
        named = self._here()["options"].items()
        free = [(name, about) for name, (_, again, about, _) in named if again or name not in self.given]
        return [*free, ("--help", "Show this message and exit")]

    def kind(self) -> object:
        """Return the kind of the value that comes next: of the option that waits, else of the next argument."""
        here = self._here()
        if self.waiting:
            return here["options"][self.waiting][0]
        takes = here["arguments"]
        if len(self.arguments) < len(takes):
            return takes[len(self.arguments)][0]
        return takes[-1][0] if takes and takes[-1][1] else ""

    def _here(self) -> "Table":
        here: Table = self._commands[self.name]
        return here


def _values(place: _LinePosition, current: str, fixed: "Table") -> "tuple[str, Values]":
    kind = place.kind()
    if isinstance(kind, list):
        return "values", _fitting([(each, "") for each in kind], current)
    if not kind or kind == "file":
        return ("files" if kind else "values"), []
    from verifflowcc.fast.completion_values import values

    return "values", _fitting(values(str(kind), fixed, current, place.given, place.arguments), current)


def _fitting(found: "Values", current: str) -> "Values":
    """Return those that begin with the word; where none does, those that do so with other capitals."""
    lower = current.lower()
    fitting = [each for each in found if each[0].startswith(current)]
    kept: dict[str, str] = {}
    for value, about in fitting or [each for each in found if each[0].lower().startswith(lower)]:
        kept.setdefault(value, about)
    return list(kept.items())


def _shown(found: "Values", shell: str) -> "list[str]":
    """Return a line for each value in the form of the shell; descriptions lose secrets and control characters."""
    abouts = _described([about for _, about in found])
    if shell == "zsh":
        escaped = [value.replace("\\", "\\\\").replace(":", "\\:") for value, _ in found]
        return [f"{value}:{about}" if about else value for value, about in zip(escaped, abouts, strict=True)]
    if shell == "fish":
        return [f"{value}\t{about}".rstrip("\t") for (value, _), about in zip(found, abouts, strict=True)]
    if environ.get("_VFCC_COMP_TYPE") != LISTS_ALL or len(found) < 2:
        return [value for value, _ in found]
    width = max(len(value) for value, _ in found)
    return [f"{value:{width}}  {about}".rstrip() for (value, _), about in zip(found, abouts, strict=True)]


def _described(abouts: "list[str]") -> "list[str]":
    if not any(abouts):
        return abouts
    from verifflowcc.base.text.secrets import withhold

    lines = ["".join(each if each.isprintable() else " " for each in about) for about in abouts]
    kept = withhold("\n".join(lines)).split("\n")
    if len(kept) != len(lines):
        return [""] * len(lines)  # a secret that goes on over several titles
    return [about if len(about) <= WIDTH else about[: WIDTH - 1] + "…" for about in kept]
