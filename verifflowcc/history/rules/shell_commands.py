"""What a shell command does with files, as far as its words tell: which it reads, searches and writes.

It is an estimate: what a script does that is run, nobody tells. It runs inside of hooks, so it imports nothing.
"""

READERS = frozenset(("cat", "head", "tail", "less", "more", "nl", "bat", "batcat", "tac"))
SEARCHERS = frozenset(("grep", "egrep", "fgrep", "rg", "ag", "ack", "git-grep", "zgrep"))
LISTERS = frozenset(("ls", "find", "fd", "fdfind", "tree", "dir", "git-ls-files", "exa", "eza"))
ANALYSERS = frozenset(("wc", "stat", "file", "diff", "cmp", "git-blame", "git-diff", "git-log", "git-show", "cloc"))
WRITERS = frozenset(("tee", "touch", "truncate"))
_TAKE_A_WORD = frozenset(("-e", "-f", "-A", "-B", "-C", "-m", "-g", "-t", "-T", "-d", "-L", "--glob", "--type"))
_TAKE_A_NUMBER = frozenset(("-n", "-c", "--lines", "--bytes"))
_BEFORE = frozenset(("sudo", "time", "command", "env", "nohup", "exec", "then", "do", "!", "{", "("))
"""With these words, what looks at files does more than that."""
_LONGEST, _LONGEST_LINES = 20_000, 20
_ENDS = frozenset((";", "&", "|", "\n"))


def acts(command: str) -> "list[tuple[str, str, tuple[int, int] | None]]":
    """Return what the parts of a command do: `read`, `search`, `list`, `analyze`, `edit` or `write`, the path, lines.

    >>> acts("cd src && sed -n '10,40p' app.py | head -5; grep -rn name . > found.txt")
    [('read', 'src/app.py', (10, 40)), ('write', 'src/found.txt', None), ('search', 'src', None)]
    """
    found: list[tuple[str, str, tuple[int, int] | None]] = []
    below = ""
    for words, piped in _parts(command[:_LONGEST]):
        for place, word in enumerate(words):
            target = words[place + 1 : place + 2]
            path = target[0].removeprefix("&") if target and not _is_nothing(target) else ""
            if word in (">", ">>") and path and not path.startswith("/dev/") and (file := _joined(below, path)):
                found.append(("write", file, None))
        if not (plain := _run(words)):
            continue
        name, given = _name(plain), plain[1:]
        if name == "cd":
            where = _operands(given, frozenset())
            below = _joined(below, where[0]) if where else below
            continue
        if name == "git" and given:
            name, given = f"git-{given[0]}", given[1:]
        for act, path, lines in _of(name, given, piped=piped):
            file = _joined(below, path)
            if act in ("search", "list") or (path and file):  # an empty word names no file, and `.` none but a folder
                found.append((act, file, lines))
    return found


def sought(command: str) -> "list[str]":
    """Return what the searches of a command look for, as it is written there.

    >>> sought("cd src; grep -rn 'def total' . | grep -v test; rg -t py -e cart")
    ['def total', 'cart']
    """
    found = []
    for words, piped in _parts(command[:_LONGEST]):
        plain = _run(words)
        if plain[:2] == ["git", "grep"]:
            plain = ["git-grep", *plain[2:]]
        if plain and plain[0].rpartition("/")[2] in SEARCHERS and not piped:
            given = [*plain[1:], ""]
            named = [given[place + 1] for place, word in enumerate(given) if word in ("-e", "--regexp")]
            found += named or _operands(plain[1:], _TAKE_A_WORD)[:1]
    return found


def _expanded(command: str) -> str:
    """Return a command without the texts in which a shell expands nothing: in single quotes, and fed by `<<'END'`.

    Where that is hard to tell (`$'…'`, shifts, texts fed without quotes, whose `'` quotes nothing), all of it.
    """
    if "'" not in command or "$'" in command or "((" in command:
        return command
    kept, last, quoted, place = "", "", False, 0
    while place < len(command):
        letter = command[place]
        begins = command[place - 1 : place] in ("", *" \t\n;&|(")
        if letter == "\\":
            kept += command[place : place + 2]
            place += 2
        elif quoted or letter == '"':
            quoted ^= letter == '"'
            kept += letter
            place += 1
        elif letter == "'":
            place = (command.find("'", place + 1) + 1) or len(command)
        elif letter == "#" and begins:
            end = command.find("\n", place)
            place = len(command) if end < 0 else end
        elif command.startswith("<<<", place):
            place += 3
        elif command.startswith("<<", place):
            start = place + 2 + command.startswith("-", place + 2)
            start += len(command) - start - len(command[start:].lstrip(" \t"))
            if last or command[start : start + 1] not in ("'", '"'):
                return command
            last, place = _word(command, start)
        elif letter == "\n" and last:
            place, last = _after(command, place + 1, last), ""
        else:
            kept += letter
            place += 1
    return kept


def _sed_edits(word: str) -> bool:
    """Say whether an option makes sed edit files: it may stand together with others, as in `-Ei`."""
    letters = word[1:].partition("e")[0].partition("f")[0]
    return word.startswith("--in-place") or (word.startswith("-") and not word.startswith("--") and "i" in letters)


def _is_nothing(target: "list[str]") -> bool:
    """Say whether what is written goes nowhere, or to another stream."""
    return target == ["/dev/null"] or any(word in ("&1", "&2", "&-") for word in target)


def _name(plain: "list[str]") -> str:
    return plain[0].rpartition("/")[2] if plain else ""


def _run(words: "list[str]") -> "list[str]":
    """Return the words of the program that a command runs, and of what it is given."""
    plain = _without_redirections(words)
    while plain and (plain[0] in _BEFORE or _is_setting(plain[0])):
        plain = plain[1:]
    return plain


def _of(name: str, given: "list[str]", *, piped: bool) -> "list[tuple[str, str, tuple[int, int] | None]]":
    if name in READERS:
        return [("read", path, None) for path in _operands(given, _TAKE_A_NUMBER)]
    paths = _operands(given, _TAKE_A_WORD)
    if name == "sed":
        return _of_sed(given, paths)
    if name in SEARCHERS:
        where = paths if any(word in ("-e", "-f", "--files") for word in given) else paths[1:]
        return [("search", path, None) for path in where] or ([] if piped else [("search", "", None)])
    if name in LISTERS:
        where = _before_options(given) if name == "find" else paths[-1:] if name in ("fd", "fdfind") else paths
        return [("list", path, None) for path in where] or [("list", "", None)]
    if name in ANALYSERS:
        return [("analyze", path, None) for path in paths if "/" in path or "." in path]
    return [("write", path, None) for path in paths] if name in WRITERS else []


def _of_sed(given: "list[str]", paths: "list[str]") -> "list[tuple[str, str, tuple[int, int] | None]]":
    if any(map(_sed_edits, given)):
        has_script = any(word.startswith(("-e", "-f", "--expression", "--file")) for word in given)
        return [("edit", path, None) for path in (paths if has_script else paths[1:])]
    script = next((word for word in given if not word.startswith("-")), "")
    files = [word for word in given if not word.startswith("-") and word != script]
    return [("read", path, _lines(script)) for path in files]


def _lines(script: str) -> "tuple[int, int] | None":
    first, _, last = script.rstrip("p").partition(",")
    last = last or first
    if not script.endswith("p") or not (first.isdecimal() and last.isdecimal()) or len(script) > _LONGEST_LINES:
        return None
    return int(first), int(last)


def _operands(given: "list[str]", with_word: "frozenset[str]") -> "list[str]":
    kept, skip = [], False
    for word in given:
        if skip:
            skip = False
        elif word.startswith("-") and word != "-":
            skip = word in with_word
        elif word != "-":
            kept.append(word)
    return kept


def _before_options(given: "list[str]") -> "list[str]":
    kept = []
    for word in given:
        if word.startswith(("-", "(", "!")):
            break
        kept.append(word)
    return kept


def _without_redirections(words: "list[str]") -> "list[str]":
    kept, skip = [], False
    for word in words:
        if skip:
            skip = False
        elif word in (">", ">>", "<", "<<", "<<<"):
            skip = True
        else:
            kept.append(word)
    return kept


def _is_setting(word: str) -> bool:
    name, sign, _ = word.partition("=")
    return bool(sign) and name.replace("_", "a").isalnum() and not name[0].isdigit()


def _joined(below: str, path: str) -> str:
    plain = path.removeprefix("./") if path != "." else ""
    if not below or plain.startswith(("/", "~")):
        return plain
    return f"{below}/{plain}".rstrip("/")


def _parts(command: str) -> "list[tuple[list[str], bool]]":
    """Return the words of each simple command, and whether it reads another one's output."""
    parts: list[tuple[list[str], bool]] = []
    words: list[str] = []
    piped = False
    for token in _tokens(command):
        if token[0] not in _ENDS:
            words.append(token[1:])
            continue
        if words:
            parts.append((words, piped))
            words, piped = [], token == "|"
    if words:
        parts.append((words, piped))
    return parts


def _tokens(command: str) -> "list[str]":
    """Return the words of a command, each after a space, and the ends of commands bare."""
    tokens: list[str] = []
    end, place = len(command), 0
    document = ""
    shifts = "((" in command  # where it may be numbers that are shifted, no text is taken for what is fed to a command
    while place < end:
        letter = command[place]
        if letter in " \t":
            place += 1
        elif letter == "#":
            place = (command.find("\n", place) + 1 or end + 1) - 1
        elif letter in "()":
            tokens.append(";")
            place += 1
        elif command.startswith("<<<", place):
            tokens.append(" <<<")
            place += 3
        elif letter in "<>":
            twice = command.startswith(letter * 2, place)
            document = "<<" if twice and letter == "<" and not shifts else document
            tokens.append(" " + letter * (2 if twice else 1))
            place += 2 if twice else 1
            place += command.startswith("& ", place)
        elif letter in _ENDS and not (letter == "&" and tokens and tokens[-1] == " >"):
            twice = letter in "&|" and command.startswith(letter * 2, place)
            tokens.append(letter * (2 if twice else 1))
            place += 2 if twice else 1
            if letter == "\n" and document not in ("", "<<"):
                place, document = _after(command, place, document), ""
        else:
            word, place = _word(command, place)
            if word in ("1", "2") and command.startswith(">", place):
                continue  # the number of a stream
            document = word.removeprefix("-") if document == "<<" else document
            if word or command[place - 1 : place] in ("'", '"'):
                tokens.append(" " + word)
    return tokens


def _word(command: str, place: int) -> "tuple[str, int]":
    """Return the word that begins at a place, without its quotes, and where it ends."""
    word, quote, end = "", "", len(command)
    start, inside = place, 0
    while place < end:
        letter = command[place]
        if letter == quote:
            quote = ""
        elif letter == "\\" and quote != "'":
            place += 1
            word += command[place : place + 1].strip("\n")  # a line that goes on
        elif quote:
            word += letter
        elif letter in ("'", '"'):
            quote = letter
        elif letter in " \t<>" or (letter in _ENDS and place > start) or (letter == ")" and not inside):
            break
        else:
            inside += (letter == "(") - (letter == ")")
            word += letter
        place += 1
    return word, place


def _after(command: str, place: int, last: str) -> int:
    """Return where the text that is fed to a command ends: behind the line that is `last`."""
    while place < len(command):
        line, _, _ = command[place:].partition("\n")
        place += len(line) + 1
        if line.strip() == last:
            break
    return place
