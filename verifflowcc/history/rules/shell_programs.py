"""The programs that a shell command runs, as far as its words show, also behind `env`, `sudo`, `sh -c` or `xargs`.

A script that is run, and a name that the shell computes, hide what they run. It is read inside of hooks, so it imports
next to nothing.
"""

from verifflowcc.history.rules.shell_commands import _ENDS, _expanded, _is_setting, _joined, _tokens

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator


SHELLS = frozenset(("sh", "bash", "zsh", "dash", "ksh", "ash", "fish"))
TERMINALS = frozenset(("script", "unbuffer", "expect", "socat", "screen", "tmux", "dtach", "abduco"))
"""Programs that give what they run a terminal of its own."""
SOURCES = (".", "source")
FEEDING = frozenset(("xargs", "parallel"))
_KEYWORDS = frozenset(("then", "do", "else", "elif", "if", "while", "until", "!", "{", "(", "}", "done", "fi", "esac"))
_WRAPPERS: "dict[str, tuple[str, int]]" = {
    "env": ("-u -C -S --unset --chdir", 0),
    "sudo": ("-u -g -h -p -C -D -R -T --user --group --chdir", 0),
    "doas": ("-u -C", 0),
    "timeout": ("-k -s --kill-after --signal", 1),
    "nice": ("-n --adjustment", 0),
    "ionice": ("-c -n -p", 0),
    "chrt": ("", 1),
    "taskset": ("", 1),
    "stdbuf": ("-i -o -e", 0),
    "xargs": ("-I -n -P -L -s -d -E -a --max-args --max-procs --delimiter --arg-file", 0),
    "parallel": ("-j --jobs", 0),
    "exec": ("-a", 0),
    "flock": ("-w -E", 1),
    "watch": ("-n --interval", 0),
    "poetry": ("-C -P", 0),
    **dict.fromkeys(
        (
            "nohup",
            "setsid",
            "time",
            "command",
            "builtin",
            "unbuffer",
            "chronic",
            "caffeinate",
            "uvx",
            "then",
            "busybox",
        ),
        ("--from --with --python -p", 0),
    ),
    **dict.fromkeys(("uv", "pipx", "pdm", "hatch", "rye", "conda", "npx"), ("--with --from --python --spec -n -p", 0)),
}
"""Programs that run another one: their options that take a word, and how many words come before it."""
_RUNNERS = frozenset(("uv", "pipx", "pdm", "hatch", "rye", "conda", "poetry"))
_OF_THE_SHELL = ("$PWD", "$HOME", "$TMPDIR", "$?", "$$", "$!", "$#", "$OLDPWD", "${PWD}", "${HOME}", "${TMPDIR}")
_DEEPEST, LONGEST, _MOST = 6, 20_000, 400


class Program:
    """One program of a command: its words, and the settings, folder and pipe that it runs with."""

    __slots__ = ("given", "name", "piped", "plain", "settings", "where", "wrappers", "written")

    def __init__(self, plain: "list[str]", written: "list[str]", where: str, *, piped: bool) -> None:
        self.plain, self.written, self.where, self.piped = plain, written, where, piped
        self.settings: list[str] = []
        self.wrappers: list[str] = []
        self.given: list[str] = []
        self.rename(plain)

    def rename(self, plain: "list[str]") -> None:
        """Take these words for those of the program."""
        self.plain = plain
        self.name = plain[0].rpartition("/")[2].lower() if plain else ""
        self.given = plain[1:]

    def path(self, word: str) -> str:
        """Return a word as a path, from the folder in which the command begins."""
        return _joined(self.where, word)


def programs(command: str, where: str = "", depth: int = 0) -> "list[Program]":
    """Return the programs of a command, those inside of others too.

    >>> [each.plain for each in programs("cd src && env -u A sh -c 'X=1 vfcc approve' | tee a; P=x; rm $P")]
    [['vfcc', 'approve'], ['tee', 'a'], [], ['rm', 'x']]
    """
    if depth > _DEEPEST:
        return []
    found: list[Program] = []
    known: dict[str, list[str]] = {}
    for words, written, piped in _simple(command[:LONGEST]):
        for one in _expanded_words(words, known):
            if len(found) > _MOST:
                return found
            program = Program([], [_with_values(each, known)[0] for each in written], where, piped=piped)
            _unwrap(program, one)
            inner = _inner(program)
            if program.name in ("cd", "pushd"):
                target = next((word for word in program.given if not word.startswith("-")), "")
                where = _joined(where, target) if target else where
            elif program.plain or program.settings or program.written:
                found.append(program)
            for text in inner:
                for each in programs(text, program.where, depth + 1):
                    each.settings = [*program.settings, *each.settings]
                    each.wrappers = [*program.wrappers, program.name, *each.wrappers]
                    each.piped = each.piped or program.piped
                    found.append(each)
    for text in _substituted(command[:LONGEST]):
        found += programs(text, where, depth + 1)
    for text in _fed(command, found):
        found += programs(text, where, depth + 1)
    return [each for each in found if not _is_shell_of_text(each)]


def _simple(command: str) -> "Iterator[tuple[list[str], list[str], bool]]":
    """Yield the words of each simple command, where it writes to, and whether it reads another one's output."""
    words: list[str] = []
    piped = False
    for token in [*_tokens(command), ";"]:
        if token[0] not in _ENDS:
            words.append(token[1:])
            continue
        if token == "|" and words[-1:] in ([">"], [">>"]):
            continue  # `>|` writes to a file
        if words:
            kept, written, skip = [], [], ""
            for word in words:
                if skip:
                    written += [word.lstrip("|&")] if skip != "<" and word.lstrip("|&") else []
                    skip = ""
                elif word in (">", ">>", "<", "<<", "<<<"):
                    skip = word[0]
                else:
                    kept.append(word)
            yield kept, written, piped
            words = []
        piped = token == "|"


def _expanded_words(words: "list[str]", known: "dict[str, list[str]]") -> "Iterator[list[str]]":
    """Yield the words with the values that the command itself gave to its variables; note those that it gives."""
    if words[:1] == ["for"] and words[2:3] == ["in"]:
        known[words[1]] = [each for word in words[3:] for each in _with_values(word, known)]
        return
    if words[:1] == ["case"]:
        return
    if words[:1] and words[0] in ("export", "declare", "local", "readonly", "typeset"):
        words = [word for word in words[1:] if not word.startswith("-")]
        for word in words:
            known |= _value(word)
        yield [word for word in words if _is_setting(word)]
        return
    if "read" in words[:2]:  # `read f`, and `while read f`
        for word in words[1:]:
            known.pop(word, None)
    if words and all(_is_setting(word) for word in words):
        for word in words:
            known |= {name: [text for each in texts for text in _with_values(each, known)] for name, texts in
                      _value(word).items()}  # fmt: skip
        yield words
        return
    yield [each for word in words for each in _with_values(word, known)]


def _value(word: str) -> "dict[str, list[str]]":
    name, sign, value = word.partition("=")
    return {name: value.split() or [""]} if sign else {}


def _with_values(word: str, known: "dict[str, list[str]]") -> "list[str]":
    texts = [word]
    for name, values in known.items():
        if "$" in word:
            for form in (f"${{{name}}}", f"${name}"):
                texts = [
                    text.replace(form, value)
                    for text in texts
                    for value in (values[:_MOST] if form in text else [form])
                ][:_MOST]
    return texts


def _unwrap(program: Program, words: "list[str]") -> None:
    """Find the program behind keywords, settings and wrappers."""
    rest = list(words)
    while rest:
        word = rest[0]
        name = word.rpartition("/")[2].lower()
        if word in _KEYWORDS:
            rest = rest[1:]
        elif _is_setting(word):
            program.settings.append(word)
            rest = rest[1:]
        elif name in _WRAPPERS and rest[1:]:
            program.wrappers.append(name)
            rest = _behind(program, name, rest[1:])
        elif name.startswith("python") and "-m" in rest[:6] and "verifflowcc" in rest[:8]:
            rest = ["vfcc", *rest[rest.index("verifflowcc") + 1 :]]
        else:
            break
    program.rename(rest)


def _behind(program: Program, name: str, rest: "list[str]") -> "list[str]":
    """Return the words behind a wrapper; what its options change stays with the program."""
    with_word, operands = _WRAPPERS[name]
    if name in _RUNNERS:
        operands = 0
        rest = rest[rest.index("run") + 1 :] if "run" in rest else rest
    while rest and rest[0].startswith("-") and rest[0] != "--":
        option, _, value = rest[0].partition("=")
        takes = option in with_word.split()
        if takes and not value:
            value = rest[1] if rest[1:] else ""
            rest = rest[1:]
        if name == "env":
            _change_environment(program, option, value or option[2:])
            if option in ("-S", "--split-string") or option.startswith("-S"):
                return [*value.split(), *rest[1:]]
        rest = rest[1:]
    rest = rest[1:] if rest[:1] == ["--"] else rest
    while operands and rest:
        rest, operands = rest[1:], operands - 1
    return rest


def _change_environment(program: Program, option: str, value: str) -> None:
    """Note what `env` removes as settings without a value; `-=` removes everything."""
    if option in ("-", "-i", "--ignore-environment") or (option.startswith("-i") and not option.startswith("--")):
        program.settings.append("-=")
    elif option.startswith("-u") or option == "--unset":
        program.settings.append(f"{value}=")
    elif option.startswith("-C") or option == "--chdir":
        program.where = _joined(program.where, value)


def _inner(program: Program) -> "list[str]":
    """Return the texts that a program runs as commands of their own."""
    name, given = program.name, program.given
    if name in SHELLS or name in ("script", "flock", "su"):
        places = [place for place, word in enumerate(given) if _is_c(word)]
        texts = [given[place + 1] for place in places if given[place + 1 :]]
        return texts + [word.partition("=")[2] for word in given if word.startswith("--command=")]
    if name == "eval":
        return [" ".join(given)]
    if name == "git":
        from verifflowcc.history.rules.git_verbs import commands_in

        return commands_in(given)
    if name == "find":
        return [
            _quoted(_until(given[place + 1 :])) for place, word in enumerate(given) if word.startswith(("-exec", "-ok"))
        ]
    return []


def _is_c(word: str) -> bool:
    return word == "--command" or (word.startswith("-") and not word.startswith("--") and "c" in word[1:])


def _until(words: "list[str]") -> "list[str]":
    ends = [place for place, word in enumerate(words) if word in (";", "+", "\\;")]
    return words[: ends[0]] if ends else words


def is_computed(word: str) -> bool:
    """Whether a shell knows all of a word only when it runs it; `mktemp` makes names of no file that exists.

    >>> [is_computed(each) for each in ("$f", "${a[0]}", "$(cat x)", "${f:-x/y}", "$HOME/x", "a$f", "$(mktemp -d)")]
    [True, True, True, True, False, False, False]
    """
    if "mktemp" in word:
        return False
    if word.startswith(("$(", "`")) or (word.startswith("${") and word.find("}") == len(word) - 1):
        return word not in _OF_THE_SHELL
    return word.startswith("$") and not any(each in word for each in "/.,:= ") and word not in _OF_THE_SHELL


def _quoted(words: "list[str]") -> str:
    return " ".join("'" + word.replace("'", "'\\''") + "'" for word in words)


def _is_shell_of_text(program: Program) -> bool:
    """Whether a program only runs a text that was taken apart already."""
    return (program.name in SHELLS and not program.written and any(map(_is_c, program.given))) or program.name == "eval"


def _fed(command: str, found: "list[Program]") -> "Iterator[str]":
    """Yield the texts that a shell among the programs reads as commands: fed by `<<`, or printed into it."""
    shells = any(each.name in (*SHELLS, *SOURCES) and not any(map(_is_c, each.given)) for each in found)
    if shells and "<<" in command and "\n" in command:
        yield command.partition("\n")[2]
    if shells or any(is_computed(each.plain[0]) for each in found if each.plain):
        yield from (" ".join(each.given) for each in found if each.name in ("echo", "printf"))


def _substituted(command: str) -> "Iterator[str]":
    """Yield the commands whose output becomes words: `$(…)` and those between backticks, without single quotes."""
    text = _expanded(command)
    place = text.find("$(")
    while place >= 0:
        end, inside = place + 2, 1
        while end < len(text) and inside:
            inside += (text[end] == "(") - (text[end] == ")")
            end += 1
        yield text[place + 2 : end - (not inside)]
        place = text.find("$(", end)
    ticks = text.split("`")
    yield from ticks[1::2]
