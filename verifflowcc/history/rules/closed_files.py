"""Why no agent may run a command: it would change a closed file, do a person's act, or hide that an agent runs it.

These hold for every role, without a role and without a sprint. Commands are judged by their words: a script that is
run may do anything. It runs inside of hooks, so it imports next to nothing.
"""

from verifflowcc.base.model.protected_paths import AROUND, INSIDE, could_be
from verifflowcc.history.rules.read_only import only_looks
from verifflowcc.history.rules.shell_programs import FEEDING, LONGEST, SHELLS, TERMINALS, is_computed

TYPE_CHECKING = False

if TYPE_CHECKING:
    from verifflowcc.history.rules.permission import CheckedCall
    from verifflowcc.history.rules.shell_programs import Program


VFCC = ("vfcc", "verifflowcc")
_MARKERS = (
    "VFCC_AGENT",
    "CI",
    "CLAUDECODE",
    "OPENCODE",
    "AIDER_MODEL",
    "CLINE_ACTIVE",
    "GOOSE_TERMINAL",
    "AMP_THREAD_ID",
)
_MARKER_PREFIXES = ("CLAUDE_CODE", "CODEX_", "CURSOR_", "GEMINI_", "COPILOT_")
_CHANGERS = frozenset(
    (
        *("rm", "rmdir", "unlink", "shred", "mv", "cp", "ln", "link", "install", "rsync", "chmod", "chown", "chgrp"),
        *("chattr", "setfacl", "tar", "unzip", "bsdtar", "cpio", "rename", "sed", "perl", "truncate", "dd", "patch"),
    )
)
"""Programs that can change all files of a folder that they are given."""
_WRITERS = ("tee", "touch")
_CONTROLS = ("read", "return", "exit", "shift", "set", "kill", "wait", "sleep", "mapfile")
"""Commands of the shell that change no file, whatever they are given."""
_LEAVES_OUT = ("--exclude", "--ignore", "--exclude-dir", "--exclude-from")
_NAMES = ("-name", "-iname", "-path", "-ipath", "-wholename")
_OPENS = ("import pty", "pty.spawn", "openpty", "node-pty")
_COPIES = ("cp", "install", "rsync", "scp")
_INTERPRETERS = ("python", "perl", "ruby", "node", "php", "awk", "gawk", "mawk", "deno", "bun", "lua", "osascript")
_TAILS = frozenset(
    (
        *("config.yaml", "workflow.yaml", "tools.yaml", "events", "evidence", "baselines", "local", "settings.json"),
        *("settings.local.json", "hooks.json", "vfcc.json", ".memory", ".git"),
    )
)
_BETWEEN = str.maketrans(dict.fromkeys("'\"(),;=<>|&[]:\n\t", " "))
_AUTHORS = ("GIT_AUTHOR_", "GIT_COMMITTER_")
_GIT_HARMLESS = ("GIT_PAGER=cat", "GIT_PAGER=", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "GIT_EDITOR=true",
                 "GIT_SEQUENCE_EDITOR=true", "GIT_EDITOR=:", "GIT_SEQUENCE_EDITOR=:")  # fmt: skip


def refused(command: str, found: "list[Program]", place: "CheckedCall") -> str:
    """Return why no agent may run a command whose programs are `found`, as a sentence; empty where one may."""
    for program in found:
        if program.name in VFCC and (why := _of_vfcc(program, found)):
            return why
        if why := _of_author(program):
            return why
        if program.name == "git" and (why := _of_git(program, found, place)):
            return why
        if path := _writes(program, found, place):
            return f"the command may change {whose(path)}"
    if ("vfcc" in command.lower()) and any(each.name in TERMINALS or _opens_terminal(each) for each in found):
        return "the command gives vfcc a terminal of its own, by which a person is distinguished from an agent"
    rest = command[LONGEST:].translate(_BETWEEN).split()
    if any(each in (*VFCC, "git") or place.closed(each) == INSIDE for each in rest):
        return "the command is too long to be judged: write its text into a file first, with the tool for that"
    path = _in_code(command, found, place) or _computed(command, found, place)
    return f"the command may change {whose(path)}" if path else ""


def whose(path: str) -> str:
    """Return a closed path with what it is, and who changes it."""
    plain = f"/{path.casefold()}/"
    if "/events/" in plain or "/evidence/" in plain or "/.memory/local/" in plain:
        return f"{path}, which is part of vfcc's own record: only vfcc writes there"
    if "/.git/" in plain:
        return f"{path}, which is closed to every agent: git alone writes there"
    return f"{path}, which holds the rules of the project or the machine: only a person changes it"


def _is_root(place: "CheckedCall", word: str) -> bool:
    return place.path(word or ".") == "."


def _holds_root(place: "CheckedCall", word: str) -> bool:
    whole = place.path(word)
    return whole == "." or place.root.startswith(f"{whole.rstrip('/')}/")


def _of_vfcc(program: "Program", found: "list[Program]") -> str:
    """Return why a call of vfcc is not an agent's."""
    settings = [*program.settings, *(each for one in found if not one.plain for each in one.settings)]
    unset = [f"{word}=" for one in found if one.name == "unset" for word in one.given]
    if any(map(_marks, (*settings, *unset))):
        return "the command changes what marks its program as an agent's (such as VFCC_AGENT): run vfcc without that"
    if any(each in TERMINALS for each in program.wrappers):
        return "the command gives vfcc a terminal of its own, by which a person is distinguished from an agent"
    if any(each in FEEDING for each in program.wrappers):
        return "another program would give vfcc its words, which hides its command: run vfcc with its words written out"
    from verifflowcc.base.model.command_classes import CI_TOO, PERSON, class_or_strictest, command_of

    if class_or_strictest(program.given) in (PERSON, CI_TOO):
        name = command_of(program.given)
        if not name:
            return "the words name no command of vfcc: write the command out (vfcc help --all lists them)"
        return f"only a person may do this, and no agent: ask a person to run: vfcc {name}"
    return ""


def _marks(setting: str) -> bool:
    name = setting.partition("=")[0]
    return name == "-" or name in _MARKERS or name.startswith(_MARKER_PREFIXES)


def _of_author(program: "Program") -> str:
    """Return why a program would commit in a name that git's settings do not say."""
    if any(each.startswith(_AUTHORS) for each in program.settings):
        from verifflowcc.history.rules.git_verbs import WHOSE_COMMIT

        return f"{WHOSE_COMMIT} GIT_AUTHOR_ and GIT_COMMITTER_ variables"
    return ""


def _of_git(program: "Program", found: "list[Program]", place: "CheckedCall") -> str:
    """Return why a call of git is not an agent's."""
    settings = [*program.settings, *(each for one in found if not one.plain for each in one.settings)]
    if any(each.startswith("GIT_") and each not in _GIT_HARMLESS for each in settings):
        return "the command sets GIT_ variables, which change what git runs and who is its author: run git without them"
    from verifflowcc.history.rules.git_verbs import WHOSE_COMMIT, judged

    _, why, _ = judged(program.given, lambda word: _is_root(place, word), lambda word: place.path(program.path(word)))
    return f"{why}, which is closed to every agent" if why and not why.startswith(WHOSE_COMMIT) else why


def _writes(program: "Program", found: "list[Program]", place: "CheckedCall") -> str:
    """Return a closed path that a program may change; empty where it is known to change none."""
    for target in program.written:
        if place.closed(program.path(target)) == INSIDE:
            return target
    if not program.plain or program.name in (*VFCC, "git") or only_looks([], program.plain):
        return ""
    words: list[str] = _changed(program) if program.name in _COPIES else _targets(program)
    changes = program.name in _CHANGERS or (program.name == "find" and "-delete" in program.given)
    for word in words:
        for part in (word, *word.split("=")[1:]):
            how = place.closed(program.path(part))
            if how == INSIDE or (how == AROUND and changes):
                return part
            if program.name in ("rm", "mv", "find") and word == part and _removes_all(program, part, place):
                return f"{part}, with .memory/"
    around = (*program.wrappers, program.name)
    if "find" not in around and not any(each in FEEDING for each in around):
        return ""
    for word in (each for one in found for each in _targets(one)):
        if place.closed(program.path(word)) or word.casefold() in _TAILS:
            return word
    return next((word for one in found for word in _sought(one) if any(could_be(word, each) for each in _TAILS)), "")


def _targets(program: "Program") -> "list[str]":
    """Return the words of a program that may name what it works on: not those that it leaves out."""
    if program.name == "find":
        options = [place for place, word in enumerate(program.given) if word.startswith(("-", "(", "!"))]
        return program.given[: options[0]] if options else program.given
    return [
        word
        for before, word in zip(["", *program.given], program.given, strict=False)
        if not word.startswith(_LEAVES_OUT) and before not in _LEAVES_OUT
    ]


def _sought(program: "Program") -> "list[str]":
    """Return the last names that `find` looks for, but for those that it leaves out."""
    given = ["", "", *program.given]
    return [
        word.casefold().rstrip("/").rpartition("/")[2]
        for place, word in enumerate(given)
        if program.name == "find" and given[place - 1] in _NAMES and given[place - 2] not in ("-not", "!")
        and "-prune" not in given[place : place + 2]
    ]  # fmt: skip


def _removes_all(program: "Program", word: str, place: "CheckedCall") -> bool:
    if not word or word.startswith("-") or not _holds_root(place, program.path(word)):
        return False
    if program.name == "find":
        return "-delete" in program.given and not any(each.startswith(("-name", "-path")) for each in program.given)
    return program.name == "rm" or word != program.given[-1]


def _changed(program: "Program") -> "list[str]":
    """Return what a program that copies writes: its target, and each source's name below that."""
    operands = [word for word in _targets(program) if not word.startswith("-")]
    into = [word.partition("=")[2] for word in program.given if word.startswith("--target-directory=")]
    for place, word in enumerate(program.given):
        if word == "-t" and program.given[place + 1 :]:
            into.append(program.given[place + 1])
    targets = into or operands[-1:]
    sources = operands if into else operands[:-1]
    return [f"{target}/{source.rstrip('/').rpartition('/')[2]}" for target in targets for source in sources] + targets


def _opens_terminal(program: "Program") -> bool:
    return _is_interpreter(program) and any(each in word for word in program.given for each in _OPENS)


def _is_interpreter(program: "Program") -> bool:
    return program.name.startswith(_INTERPRETERS) or program.name in SHELLS


def _in_code(command: str, found: "list[Program]", place: "CheckedCall") -> str:
    """Return a closed path that the code names which an interpreter is given, as a word or behind `<<`."""
    running = [each for each in found if _is_interpreter(each) and not only_looks([], each.plain)]
    texts = [word for each in running for word in each.given if any(letter in word for letter in " \n\"'(/")]
    if running and "<<" in command:
        texts.append(command)
    for text in texts:
        words = text.translate(_BETWEEN).split()
        inside = next((word for word in words if place.closed(word) == INSIDE), "")
        around = next((word for word in words if place.closed(word) == AROUND), "")
        if inside or (around and any(word.casefold().strip("/") in _TAILS - {".memory"} for word in words)):
            return inside or around
    return ""


def _computed(command: str, found: "list[Program]", place: "CheckedCall") -> str:
    """Return a closed path that a command names, where it changes a file whose name the shell computes; else empty.

    So a name that is printed, read or kept in a variable is not judged: only that something is changed by a name that
    the words do not show.
    """
    words = command.replace("\\n", " ").translate(_BETWEEN).split()
    if not any(_hides(each, command, words) for each in found):
        words = [each.partition("=")[2] for one in found if _acts(one) for each in one.settings]
    return next((word for word in words if place.closed(word.strip("`${}-")) == INSIDE), "")


def _acts(program: "Program") -> bool:
    return bool(program.plain) and program.name not in (*VFCC, "git") and not only_looks([], program.plain)


def _hides(program: "Program", command: str, words: "list[str]") -> bool:
    """Whether a program, or a file that it writes or is given, has a name that only the shell knows."""
    if any(each == "{}" or _is_hidden(each, command, words) for each in program.written):
        return True
    if not _acts(program) or program.name in _CONTROLS:
        return False
    first, *rest = program.plain
    if program.name not in (
        *_CHANGERS,
        *_WRITERS,
    ):  # what others are given from `$(…)` is content more often than a name
        rest = [each for each in rest if not each.startswith(("$(", "`"))]
    return any(_is_hidden(each, command, words) for each in (first, *rest))


def _is_hidden(word: str, command: str, words: "list[str]") -> bool:
    """Whether a word is a path that the shell computes from what the command names: not from the environment."""
    if word[:1] in ("$", "`") and "/" in word:
        return word.casefold().rpartition("/")[2] in _TAILS or is_computed(word)
    name = word.strip('${}"').partition("[")[0]
    if not is_computed(word) or f"{name}=$(mktemp" in command:
        return False
    return not name.isidentifier() or name in words
