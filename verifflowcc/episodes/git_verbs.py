"""What a call of git does, by its verb and options: it reads, it writes, or it does what no agent may.

Verbs that are not in the tables count as writing: an alias may do anything. It runs inside of hooks.
"""

from verifflowcc.domain.protected import AROUND, INSIDE, closed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

READ, WRITE = "git-read", "git-write"
_READING = frozenset(
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
_TAKES_A_WORD = ("-c", "-C", "--git-dir", "--work-tree", "--namespace", "--config-env", "--super-prefix", "--exec-path")
_FROM_FILES = ("checkout", "restore", "rm", "mv", "checkout-index", "update-index", "clean")
_EVERYTHING = (".", "./", ":/", ":", "*", "'*'", "..")


def judged(given: "list[str]", root: "Callable[[str], bool]", path: "Callable[[str], str]") -> "tuple[str, str, bool]":
    """Return the class of a call of git, why no agent may make it (else empty), and whether it may run any program.

    `given` are the words behind `git`, `root` says of a folder whether it is the project's, and `path` places a word.

    >>> judged(["stash", "list"], bool, str)[0], judged(["stash", "pop"], bool, str)[0]
    ('git-read', 'git-write')
    """
    rest, elsewhere = list(given), False
    while rest and rest[0].startswith("-") and rest[0] not in _READING:
        option, sign, value = rest[0].partition("=")
        if option in _TAKES_A_WORD and not sign and option != "--exec-path":
            value = rest[1] if rest[1:] else ""
            rest = rest[1:]
        rest = rest[1:]
        if option == "-c" and not value.lower().startswith(_HARMLESS_CONFIG):
            return WRITE, f"git -c {value} changes git's settings", True
        if option in ("--config-env", "--exec-path") and (sign or value):
            return WRITE, f"git {option} changes what git runs", True
        elsewhere = elsewhere or (option in ("-C", "--git-dir", "--work-tree") and not root(value))
    if not rest:
        return READ, "", False
    verb, words = rest[0], rest[1:]
    if verb == "config":
        reads = _reads_config(words)
        return (READ, "", False) if reads else (WRITE, "git config changes .git/config or a person's settings", False)
    if why := _rewrites(verb, words, path):
        return WRITE, why, False
    if _reads(verb, words) and not elsewhere:
        return READ, "", False
    runs = verb in _RUNS or (verb not in _KNOWN and verb not in _READING and verb not in _LISTS)
    return WRITE, "", runs or _has(words, ("-x", "--exec", "--extcmd", "--upload-pack", "--receive-pack"))


_KNOWN = frozenset(
    (
        *(
            "add",
            "commit",
            "push",
            "pull",
            "fetch",
            "clone",
            "init",
            "merge",
            "rebase",
            "reset",
            "restore",
            "revert",
            "rm",
        ),
        *(
            "mv",
            "checkout",
            "switch",
            "cherry-pick",
            "clean",
            "apply",
            "am",
            "tag",
            "branch",
            "worktree",
            "gc",
            "prune",
        ),
        *("update-index", "update-ref", "symbolic-ref", "format-patch", "archive", "fsck", "repack", "read-tree"),
        *(
            "write-tree",
            "commit-tree",
            "hash-object",
            "mktree",
            "checkout-index",
            "ls-remote",
            "request-pull",
            "replace",
        ),
        *("rerere", "send-email", "maintenance", "pack-refs", "subtree", "stage", "sparse-checkout"),
    )
)


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
    if verb not in _READING or (verb == "help" and words):
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
    elif verb not in _FROM_FILES:
        return ""
    for word in operands:
        plain = word.partition(")")[2] if word.startswith(":(") else word.lstrip(":!^/") if word[:1] == ":" else word
        if closed(path(plain)) in (INSIDE, AROUND) or (plain and closed(plain) in (INSIDE, AROUND)):
            return f"git {verb} would rewrite {word}"
    tree = len(operands) > 1 or _has(words, ("-s", "--source")) or verb in ("rm", "mv", "clean")
    return (
        f"git {verb} would rewrite files under {operands[-1]} that are closed"
        if tree and (operands and operands[-1] in _EVERYTHING)
        else ""
    )
