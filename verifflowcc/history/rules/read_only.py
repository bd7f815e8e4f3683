"""Whether a shell command does nothing but look, as far as its words show. It runs inside of hooks."""

from verifflowcc.history.rules.shell_commands import (
    _LONGEST,
    ANALYSERS,
    LISTERS,
    READERS,
    SEARCHERS,
    _expanded,
    _is_nothing,
    _name,
    _operands,
    _parts,
    _run,
    _sed_edits,
)

_LOOKERS = READERS | SEARCHERS | LISTERS | ANALYSERS
_ACTIVE = ("$(", "`", "<(", ">(")
_HARMLESS = frozenset(
    (
        "cd",
        "pwd",
        "echo",
        "printf",
        "sort",
        "uniq",
        "cut",
        "tr",
        "true",
        "which",
        "jq",
        "basename",
        "dirname",
        "test",
        "[",
    )
)
_SYSTEM = ("/bin/", "/usr/bin/", "/usr/local/bin/", "/opt/homebrew/bin/")
_DOES = {
    "find": ("-exec", "-ok", "-delete", "-fprint", "-fls"),
    "fd": ("-x", "-X", "--exec"),
    "fdfind": ("-x", "-X", "--exec"),
    "rg": ("--pre",),
    "ag": ("--pager",),
    "ack": ("--pager",),
    "bat": ("--pager",),
    "batcat": ("--pager",),
    "less": ("-o", "-O", "--log", "--LOG"),
    "tree": ("-o", "--output"),
    "sort": ("-o", "--output", "--compress"),
}


def only_reads(command: str, besides: "frozenset[str]" = frozenset()) -> bool:
    """Say whether every part of a command is known to do nothing but look, or runs one of the programs `besides`.

    >>> [only_reads(each) for each in ("cat a | grep b", "find . -delete", "echo $(rm a)", "ls > a", "make")]
    [True, False, False, False, False]
    >>> only_reads("cd src && make", frozenset(("make",)))
    True
    >>> only_reads("cat <<'END' | vfcc stage put plan\\nuses `x`\\nEND", frozenset(("vfcc",)))
    True
    """
    if len(command) > _LONGEST:
        return False
    expanded = _expanded(command)
    plain_words = not any(each in expanded for each in _ACTIVE)
    parts = [(words, _run(words)) for words, _ in _parts(command)]
    return any(plain for _, plain in parts) and all(
        _name(plain) in besides or ((plain_words or _name(plain) == "cd") and only_looks(words, plain))
        for words, plain in parts
    )


def only_looks(words: "list[str]", plain: "list[str]") -> bool:
    """Say whether a program is known to do nothing but look; `words` are all of its words, redirections too."""
    name, given = _name(plain), plain[1:]
    if plain and "/" in plain[0] and not plain[0].startswith(_SYSTEM):
        return False  # a file of that name in the project may be any program
    if any(word in (">", ">>") and not _is_nothing(words[place + 1 : place + 2]) for place, word in enumerate(words)):
        return False
    if any(word.startswith(_DOES.get(name, ())) for word in given if word):
        return False
    if name == "git":
        from verifflowcc.history.rules.git_verbs import READ, judged

        sort, why, _ = judged(given, lambda _: False, str)
        return sort == READ and not why
    if name == "sed":
        return _sed_only_looks(given)
    if name == "sort":  # its options may stand together, as in -uo
        return not any(word.startswith("-") and "o" in word and not word.startswith("--") for word in given)
    if name == "uniq":
        return len(_operands(given, frozenset(("-f", "-s", "-w")))) <= 1
    return name in _LOOKERS or name in _HARMLESS or not plain


def _sed_only_looks(given: "list[str]") -> bool:
    """Say whether a script does nothing but choose lines, or replace text in what is shown: others can write and run.

    A script from a file may do anything.
    """
    if any(_sed_edits(word) or word.startswith(("-f", "--file", "-s", "--sep")) for word in given):
        return False
    scripts = [word for place, word in enumerate(given) if given[place - 1 : place] in (["-e"], ["--expression"])]
    scripts += [word.partition("=")[2] for word in given if word.startswith("--expression=")]
    for script in scripts or [word for word in given if not word.startswith("-")][:1]:
        for one in script.split(";"):
            each = one.strip()
            if each.startswith("s") and len(each) > 1:
                if each.count(each[1]) != 3 or each.rpartition(each[1])[2].strip("gpiI0123456789"):
                    return False
            elif each.strip("0123456789,$pdq=! "):
                return False
    return True
