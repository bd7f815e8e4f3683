"""Commands as their modules declare them, and how a plain command line is read, without typer.

To import typer takes longer than most commands take. Modules of commands import this one by typer's name: it keeps
what they declare. A plain command line is read from that; `as_typer` makes of it what typer reads all others with, and
writes help and completion from. Type checkers see typer itself, and names that are not here are typer's own.
"""

# ruff: noqa: PLC0414 - the names are for the modules that import this one by the name of typer

from verifflowcc.base.model.lazy import load

TYPE_CHECKING = False

TEXT = "-m"
TEXTS = frozenset(("--message", "--reason", "--text", "--note", "--outcome", "--saw"))
"""Options for a sentence of the person or agent who acts: `-m` is the short form of each, as of git's --message."""
_PLAIN = frozenset(("help", "metavar", "show_default", "min"))
"""What may be declared of a parameter that is read here."""
_FORMS = {
    bool: "flag",
    str: "text",
    str | None: "text",
    int: "number",
    int | None: "number",
    list[str]: "texts",
    list[str] | None: "texts",
}
"""The forms of values that are read here, by the type that is declared."""
_LONGEST_NUMBER = 9

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from typer import Abort as Abort
    from typer import Argument as Argument
    from typer import BadParameter as BadParameter
    from typer import Context as Context
    from typer import Exit as Exit
    from typer import Option as Option
    from typer import Typer as Typer
    from typer import TyperException as TyperException
    from typer import confirm as confirm
    from typer import prompt as prompt
else:

    class Exit(Exception):  # noqa: N818 - typer's name
        """End the command with an exit code, as typer's own does."""

        def __init__(self, code=0):
            self.exit_code = code

    class Context:
        """Takes the place of typer's context where a command asks for it; typer reads such a command."""

    class _Declared:
        """A parameter as it is declared: `Option` or `Argument`, its names, and the rest."""

        __slots__ = ("kind", "names", "rest")

        def __init__(self, kind, names, rest):
            self.kind, self.names, self.rest = kind, names, rest

    def Option(*names, **rest):  # noqa: N802 - typer's name
        """Declare an option."""
        return _Declared("Option", names, rest)

    def Argument(*names, **rest):  # noqa: N802 - typer's name
        """Declare an argument."""
        return _Declared("Argument", names, rest)

    class Typer:
        """A group of commands, as typer's class has them."""

        def __init__(self, **settings):
            self.settings = settings
            self.commands, self.groups, self.own = [], [], None

        def command(self, name=None):
            """Add the function below as a command."""
            return lambda function: self.commands.append((name, function)) or function

        def callback(self, **settings):
            """Take the function below as what the group does by itself: nothing where one of its commands is named."""

            def take(function):
                self.own = (settings, function)
                return function

            return take

        def add_typer(self, group, *, name):
            """Add a group below this one."""
            self.groups.append((name, group))

    def __getattr__(name):
        if name.startswith("__"):
            raise AttributeError(name)  # the import of a module asks for some
        import typer

        return getattr(typer, name)


def command_name(name: str | None, function: "Callable[..., Any]") -> str:
    """Return the word for a command: the name that it is given, else that of its function.

    >>> command_name(None, command_name)
    'command-name'
    """
    return name or function.__name__.lower().replace("_", "-")


def add_later(group: "Typer", name: str, place: str) -> None:
    """Add a command, or a group, that is at `MODULE:NAME`: what a command line does not name is not imported."""
    group.command(name)(place)  # type: ignore[type-var]


def _loaded(found: "Any") -> "Any":
    return load(found) if isinstance(found, str) else found


def as_typer(group: "Any", only: str = "") -> "Any":
    """Return a declared group as typer has it; of one that has a command `only`, that command alone."""
    import typer

    made = typer.Typer(**group.settings)
    named = [each for each in group.commands if command_name(*each) == only]
    for name, given in named or group.commands:
        found = _loaded(given)
        if isinstance(found, Typer):
            made.add_typer(as_typer(found), name=name)
        else:
            made.command(name)(for_typer(found))
    for name, below in () if named else group.groups:
        made.add_typer(as_typer(below), name=name)
    if group.own:
        settings, function = group.own
        made.callback(**settings)(for_typer(function))
    return made


def for_typer(function: "Callable[..., Any]") -> "Callable[..., Any]":
    """Return a command like this one, with typer's own classes in its annotations."""
    from types import FunctionType

    import typer

    def exchanged(annotation: "Any") -> "Any":
        if annotation is Context:
            return typer.Context
        declared = _declared(annotation)
        if declared is None:
            return annotation
        from typing import Annotated

        return Annotated[annotation.__origin__, getattr(typer, declared.kind)(*declared.names, **declared.rest)]

    code, names = function.__code__, function.__globals__
    made = FunctionType(code, names, function.__name__, function.__defaults__, function.__closure__)
    made.__annotations__ = {name: exchanged(each) for name, each in function.__annotations__.items()}
    made.__doc__, made.__module__ = function.__doc__, function.__module__
    return made


def _declared(annotation: "Any") -> "Any":
    return next((each for each in getattr(annotation, "__metadata__", ()) if type(each).__name__ == "_Declared"), None)


def find(found: "Any", words: "Sequence[str]") -> "tuple[Callable[..., Any] | None, str, Sequence[str]]":
    """Return the function of a command below a declared one, its name below that, and the words behind it.

    None for words that name a group alone, or nothing.
    """
    below: list[str] = []
    while isinstance(found, Typer):
        if not words:
            return None, "", ()
        word, *words = words
        below.append(word)
        named = [function for name, function in found.commands if command_name(name, function) == word]  # type: ignore[attr-defined]
        named = named or [group for name, group in found.groups if name == word]  # type: ignore[attr-defined]
        if not named:
            return None, "", ()
        found = _loaded(named[0])
    return found, " ".join(below), words


def plain_values(
    function: "Callable[..., Any]", words: "Sequence[str]"
) -> "tuple[dict[str, object], frozenset[str]] | None":
    """Return what a plain command line gives a command, by the names of its parameters, and the options that are given.

    None where a word could be wrong, or is not one that is read here: short forms that are joined, `--name=value`, a
    value that begins like an option, an option given twice, help.
    """
    takes = _Taken(function)
    return takes.read(words) if takes.known else None


class _Taken:
    """What a command takes, by what its function declares, and what a command line gave it so far."""

    def __init__(self, function: "Callable[..., Any]") -> None:
        code = function.__code__
        names = code.co_varnames[: code.co_argcount]
        self.required = set(names[: len(names) - len(function.__defaults__ or ())])
        self.options: dict[str, tuple[str, str, int]] = {}
        self.arguments: list[tuple[str, str]] = []
        self.given: dict[str, object] = {}
        self.known = not code.co_kwonlyargcount
        for name in names:
            self._add(name, function.__annotations__.get(name))
        if "--json" in self.options:
            self.options.setdefault("--full", ("", "flag", 0))

    def _add(self, name: str, annotation: "Any") -> None:
        """Note a parameter; typer reads a command that declares what could act when it is not given."""
        declared = _declared(annotation)
        if declared is None or "callback" in declared.rest:
            self.known = False
            return
        form = _FORMS.get(annotation.__origin__, "other") if _PLAIN.issuperset(declared.rest) else "other"
        if declared.kind == "Argument":
            self.arguments.append((name, form))
            return
        if not declared.names:
            self.known = False
            return
        options = [*declared.names, *([TEXT] if not TEXTS.isdisjoint(declared.names) else [])]
        for option in options:
            self.options[option] = (name, form if option.startswith("-") else "other", declared.rest.get("min", 0))

    def read(self, words: "Sequence[str]") -> "tuple[dict[str, object], frozenset[str]] | None":
        """Return the values, and the options that were given; None where typer must read the words."""
        rest: list[str] = []
        typed: set[str] = set()
        left = iter(words)
        for word in left:
            if not word.startswith("-"):
                rest.append(word)
            elif word not in self.options or not self._take(word, left):
                return None
            else:
                typed.add(word)
        if not self._place(rest) or not self.required <= self.given.keys():
            return None
        names = {self.options[each][0] for each in typed}
        return self.given, frozenset(each for each, (name, _, _) in self.options.items() if name in names)

    def _take(self, option: str, left: "Any") -> bool:
        name, form, least = self.options[option]
        if form == "flag":
            if name:
                self.given[name] = True
            return True
        value = next(left, "-")
        if value.startswith("-") or form == "other" or (form != "texts" and name in self.given):
            return False
        if form == "texts":
            known = self.given.setdefault(name, [])
            assert isinstance(known, list)
            known.append(value)
        elif form == "number":
            if not (value.isascii() and value.isdecimal() and len(value) <= _LONGEST_NUMBER and int(value) >= least):
                return False
            self.given[name] = int(value)
        else:
            self.given[name] = value
        return True

    def _place(self, rest: list[str]) -> bool:
        """Give the words that are no options to the arguments, in order; return False where they do not fit."""
        for number, (name, form) in enumerate(self.arguments):
            if form == "texts" and number == len(self.arguments) - 1:
                if rest:
                    self.given[name] = rest
                return True
            if not rest:
                return True
            if form != "text":
                return False
            self.given[name], *rest = rest
        return not rest
