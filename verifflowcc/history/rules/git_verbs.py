"""What a call of git does, by its verb and options: it reads, it writes, or it does what no agent may.

Verbs that are not in the tables count as writing: an alias may do anything. It runs inside of hooks.
"""

from verifflowcc.base.model.protected_paths import AROUND, INSIDE, closed
from verifflowcc.history.rules.shell_commands import _joined

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


READ, WRITE = "git-read", "git-write"
READING = frozenset(
    (
        *("status", "log", "diff", "show", "blame", "annotate", "grep", "ls-files", "ls-tree", "rev-parse", "rev-list"),
        *("describe", "shortlog", "cat-file", "merge-base", "name-rev", "whatchanged", "cherry", "range-diff", "var"),
        *("diff-tree", "diff-index", "diff-files", "for-each-ref", "show-ref", "show-branch", "count-objects"),
        *("check-ignore", "check-attr", "check-mailmap", "check-ref-format", "verify-commit", "verify-tag", "version"),
        *("merge-tree", "help", "--version", "--help", "-h", "-v"),
    )
)
_LISTS: "dict[str, tuple[str, ...]]" = {
    "stash": ("list", "show"),
    "worktree": ("list",),
    "submodule": ("status", "summary"),
    "notes": ("list", "show"),
    "reflog": ("show", "exists", "list"),
    "sparse-checkout": ("list",),
    "bundle": ("verify", "list-heads"),
    "bisect": ("log", "view"),
    "lfs": ("ls-files", "status", "env"),
    "remote": ("show", "get-url"),
    "config": ("get", "list"),
}
"""Verbs of which some second words only read."""
_CONFIG_READS = ("--get", "--get-all", "--get-regexp", "--get-urlmatch", "--list", "-l", "--get-color")
_BRANCH_LISTS = ("--list", "-l", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at", "-n")
_LOOKS = (
    *("-a", "-r", "-v", "-vv", "--all", "--remotes", "--verbose", "--show-current", "--sort", "--format", "--column"),
    *("--color", "--no-color", "--no-column", "-i", "--ignore-case", "--abbrev", "--no-abbrev"),
)
_WRITES_OR_RUNS = ("--output", "--ext-diff", "--open-files-in-pager", "--output-directory")
_OUTPUT = ("-o", "--output", "--output-directory")
"""Options of any verb that name a file or a folder that git writes."""
_KNOWN = frozenset(
    (
        *("add", "commit", "push", "pull", "fetch", "clone", "init", "merge", "rebase", "reset", "restore", "revert"),
        *("rm", "mv", "checkout", "switch", "cherry-pick", "clean", "apply", "am", "tag", "branch", "worktree", "gc"),
        *("prune", "update-index", "update-ref", "symbolic-ref", "format-patch", "archive", "fsck", "repack"),
        *("read-tree", "write-tree", "commit-tree", "hash-object", "mktree", "checkout-index", "ls-remote", "stage"),
        *("request-pull", "replace", "rerere", "send-email", "maintenance", "pack-refs", "subtree", "sparse-checkout"),
    )
)
"""Verbs that write, and run no other program of themselves."""
_TO_THE_INDEX = frozenset(
    (
        *("add", "commit", "stage", "reset", "push", "pull", "fetch", "merge", "rebase", "cherry-pick", "revert"),
        *("tag", "branch", "switch", "archive", "format-patch", "stash", "bisect", "notes", "remote", "reflog"),
        *("hash-object", "commit-tree", "update-ref", "ls-remote", "request-pull", "filter-branch", "gc", "lfs"),
    )
)
"""Verbs whose operands are no files that they write, by these names: revisions, and what is to be committed."""
_TREES = frozenset(("worktree", "clone", "init", "submodule", "subtree"))
"""Verbs that make a folder with a repository's files."""
_INTO_GIT = ("--template", "--separate-git-dir")
_RUNS_A_WORD: "dict[str, tuple[str, ...]]" = {
    "rebase": ("-x", "--exec"),
    "difftool": ("-x", "--extcmd"),
    "grep": ("-O", "--open-files-in-pager"),
    "push": ("--receive-pack", "--exec"),
    "fetch": ("--upload-pack",),
    "pull": ("--upload-pack",),
    "clone": ("-u", "--upload-pack"),
    "ls-remote": ("--upload-pack", "--exec"),
    "archive": ("--exec",),
    "send-email": ("--smtp-server", "--to-cmd", "--cc-cmd", "--header-cmd", "--sendmail-cmd"),
}
"""Options whose value the verb runs as a shell command."""
_RUNS_THE_REST = {"submodule": "foreach", "bisect": "run"}
"""Verbs that run all words behind this one as a command."""
_FLAGS = frozenset("aqvnsepiofk")
"""Letters that take no word, so that another option may come behind them, as in `-aC` and `-ix`."""
_AUTHOR = ("--author",)
_REUSES = ("-C", "-c", "--reuse-message", "--reedit-message")
WHOSE_COMMIT = "git's settings say who commits, and no agent changes that: commit without"
_RUNS = frozenset(
    ("difftool", "mergetool", "bisect", "filter-branch", "for-each-repo", "hook", "instaweb", "submodule")
)
"""Verbs that can run any program."""
_HARMLESS_CONFIG = (
    "color.",
    "core.quotepath=",
    "core.pager=cat",
    "advice.",
    "log.",
    "diff.renames",
    "column.",
    "grep.",
)
_PERSONS = ("user.", "author.", "committer.")
_TAKES_A_WORD = ("-c", "-C", "--git-dir", "--work-tree", "--namespace", "--config-env", "--super-prefix", "--exec-path")
_FROM_FILES = ("checkout", "restore", "rm", "mv", "checkout-index", "update-index", "clean")
_EVERYTHING = (".", "./", ":/", ":", "*", "'*'", "..")


def judged(given: "list[str]", root: "Callable[[str], bool]", path: "Callable[[str], str]") -> "tuple[str, str, bool]":
    """Return the class of a call of git, why no agent may make it (else empty), and whether it may run any program.

    `given` are the words behind `git`, `root` says of a folder whether it is the project's, and `path` places a word.

    >>> judged(["stash", "list"], bool, str)[0], judged(["stash", "pop"], bool, str)[0]
    ('git-read', 'git-write')
    """
    options, rest = _split(given)
    below, elsewhere = "", False
    for option, value in options:
        if option == "-c" and value.lower().startswith(_PERSONS):
            return WRITE, f"{WHOSE_COMMIT} -c {value}", True
        if option == "-c" and not value.lower().startswith(_HARMLESS_CONFIG):
            return WRITE, f"git -c {value} changes git's settings", True
        if option in ("--config-env", "--exec-path") and value:
            return WRITE, f"git {option} changes what git runs", True
        elsewhere = elsewhere or (option in ("-C", "--git-dir", "--work-tree") and not root(value))
        below = _joined(below, value) if option in ("-C", "--work-tree") else below
    if not rest:
        return READ, "", False
    verb, words = rest[0], rest[1:]
    if verb == "config":
        reads = _reads_config(words)
        return (READ, "", False) if reads else (WRITE, "git config changes .git/config or a person's settings", False)
    if why := _by_another(verb, words) or _rewrites(verb, words, lambda word: path(_joined(below, word))):
        return WRITE, why, False
    if _reads(verb, words) and not elsewhere:
        return READ, "", False
    runs = verb in _RUNS or (verb not in _KNOWN and verb not in READING and verb not in _LISTS)
    return WRITE, "", runs or _has(words, ("-x", "--exec", "--extcmd", "--upload-pack", "--receive-pack"))


def _split(given: "list[str]") -> "tuple[list[tuple[str, str]], list[str]]":
    """Return the options before the verb, each with its value, and the words from the verb on."""
    options, rest = [], list(given)
    while rest and rest[0].startswith("-") and rest[0] not in READING:
        option, sign, value = rest[0].partition("=")
        if option in _TAKES_A_WORD and not sign and option != "--exec-path":
            value = rest[1] if rest[1:] else ""
            rest = rest[1:]
        rest = rest[1:]
        options.append((option, value))
    return options, rest


def commands_in(given: "list[str]") -> "list[str]":
    """Return the texts that a call of git runs as shell commands.

    >>> commands_in(["rebase", "--exec=make", "-x", "make test", "main"]), commands_in(["bisect", "run", "make", "x"])
    (['make', 'make test'], ["'make' 'x'"])
    """
    rest = _split(given)[1]
    verb, words = (rest[0], rest[1:]) if rest else ("", [])
    if verb == "filter-branch":
        return [value for option, value in _values(words) if option.endswith("-filter")]
    start = _RUNS_THE_REST.get(verb)
    if start in words[:2]:
        behind = words[words.index(start) + 1 :] if start else []
        behind = [word for place, word in enumerate(behind) if place or not word.startswith("-")]
        return behind if len(behind) == 1 else [" ".join("'" + word.replace("'", "'\\''") + "'" for word in behind)]
    return [value for option, value in _values(words) if _is_one(option, _RUNS_A_WORD.get(verb, ()))]


def _values(words: "list[str]") -> "Iterator[tuple[str, str]]":
    """Yield each option with the value that it may have: behind `=`, at its letter, or as the next word."""
    for place, word in enumerate(words):
        if word == "--":
            return
        if word.startswith("--"):
            option, sign, value = word.partition("=")
            yield option, value if sign else "".join(words[place + 1 : place + 2])
        elif word.startswith("-") and len(word) > 1:
            rest = "".join(words[place + 1 : place + 2])
            yield word[:2], word[2:] or rest
            if len(word) > 2 and _FLAGS.issuperset(word[1:-1]):
                yield f"-{word[-1]}", rest


def _is_one(option: str, wanted: "tuple[str, ...]") -> bool:
    """Whether an option is one of these; git takes the beginning of a long one for all of it."""
    return option in wanted or (len(option) > 2 and any(each.startswith(option) for each in wanted if len(each) > 2))


def _by_another(verb: str, words: "list[str]") -> str:
    """Return why a commit would be in a name that git's settings do not say."""
    if verb != "commit":
        return ""
    for option, value in _values(words):
        if _is_one(option, _AUTHOR):
            return f"{WHOSE_COMMIT} --author"
        if _is_one(option, _REUSES) and not (value == "HEAD" and "--amend" in words) and "--reset-author" not in words:
            return f"{WHOSE_COMMIT} {option}, which takes over another commit's author"
    return ""


def _reads(verb: str, words: "list[str]") -> bool:
    operands = [word for word in words if not word.startswith("-")]
    if verb in ("branch", "tag"):
        lists = any(word.partition("=")[0] in _BRANCH_LISTS or word[:2] == "-n" for word in words)
        plain = all(word.partition("=")[0] in (*_LOOKS, *_BRANCH_LISTS) or word[:2] == "-n" for word in words
                    if word.startswith("-"))  # fmt: skip
        return plain and (lists or not operands)
    if verb in _LISTS:
        return (not operands and verb in ("remote", "reflog", "notes", "submodule", "lfs")) or bool(
            operands and words[:1] == operands[:1] and operands[0] in _LISTS[verb]
        )
    if verb == "symbolic-ref":
        return len(operands) == 1 and not _has(words, ("-d", "--delete"))
    if verb not in READING or (verb == "help" and words):
        return verb == "help"
    if verb == "grep" and any(word[:1] == "-" and word[:2] != "--" and "O" in word for word in words):
        return False
    long = [word.partition("=")[0] for word in words if word.startswith("--") and len(word) > 2]  # git takes beginnings
    return not any(each.startswith(option) for option in long for each in _WRITES_OR_RUNS)


def _reads_config(words: "list[str]") -> bool:
    if _has(words, _CONFIG_READS) or _reads("config", words):
        return True
    flags = [word for word in words if word.startswith("-") and word not in ("--global", "--local", "--system")]
    return (
        not flags and len(words) == 1 and words[0] not in ("set", "unset", "edit", "rename-section", "remove-section")
    )


def _has(words: "list[str]", options: "tuple[str, ...]") -> bool:
    return any(word.partition("=")[0] in options for word in words)


def _rewrites(verb: str, words: "list[str]", path: "Callable[[str], str]") -> str:
    """Return which closed files a verb would rewrite, as far as it names them; empty where it names none."""
    operands = [word for word in words if not word.startswith("-")]
    own = _OUTPUT[1:] if verb in READING or verb == "commit" else _OUTPUT
    files = [value for option, value in _values(words) if _is_one(option, own)]
    if verb == "stash":
        if _has(words, ("-u", "-a", "--include-untracked", "--all")) and operands[:1] in ([], ["push"], ["save"]):
            return "git stash would take events and evidence away that are not committed"
        operands = operands[1:] if "--" in words else []
    elif verb == "clean":
        flags = "".join(word[1:] for word in words if word[:1] == "-" and word[:2] != "--")
        if "n" in flags or "--dry-run" in words:
            return ""
        if not operands:
            return "git clean without a path would remove events and evidence that are not committed"
    elif verb == "init" and any(_is_one(option, _INTO_GIT) for option, _ in _values(words)):
        return "git init would write to .git/ what another folder holds"
    elif verb in READING or verb in _TO_THE_INDEX:
        operands = []
    else:
        files += [value for _, value in _values(words)]
    for word in (*operands, *files):
        plain = word.partition(")")[2] if word.startswith(":(") else word.lstrip(":!^/") if word[:1] == ":" else word
        if closed(path(plain)) in (INSIDE, AROUND) or (plain and closed(plain) in (INSIDE, AROUND)):
            return f"git {verb} would rewrite {word}"
        if verb in _TREES and f"{path(plain)}/".startswith(".memory/"):
            return f"git {verb} would make a folder in .memory/"
    tree = len(operands) > 1 or _has(words, ("-s", "--source")) or verb in ("rm", "mv", "clean")
    if verb in _FROM_FILES and tree and operands and operands[-1] in _EVERYTHING:
        return f"git {verb} would rewrite files under {operands[-1]} that are closed"
    return ""
