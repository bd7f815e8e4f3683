"""What a command's words tell of files, in the forms in which agents write commands."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from verifflowcc.history.rules.read_only import only_reads
from verifflowcc.history.rules.shell_commands import acts

PIECES = (
    *(
        "cat",
        "sed",
        "grep",
        "-n",
        "-i",
        "-e",
        "'1,5p'",
        "a.py",
        '"b c"',
        ">",
        ">>",
        "<",
        "<<",
        "<<<",
        "2>&1",
        "|",
        "&&",
    ),
    *(
        ";",
        "\n",
        "\\\n",
        "$(",
        "`",
        "(",
        ")",
        "#",
        "cd",
        "src",
        "find",
        "-exec",
        "git",
        "'",
        '"',
        "EOF",
        "\\",
        "9" * 5000,
    ),
)
COMMANDS = st.one_of(st.text(max_size=200), st.lists(st.sampled_from(PIECES), max_size=20).map(" ".join))


@pytest.mark.vfcc("REQ-EPISODE-FILES")
@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("cat a.py", [("read", "a.py", None)]),
        ("cat 'a b.py' \"c d.py\" e\\ f", [("read", "a b.py", None), ("read", "c d.py", None), ("read", "e f", None)]),
        ("head -n 5 a | tail -3", [("read", "a", None)]),
        ("sed -n '10,40p' src/a.py", [("read", "src/a.py", (10, 40))]),
        ("sed -n 7p a", [("read", "a", (7, 7))]),
        ("sed -n '1,$p' a", [("read", "a", None)]),
        ("sed -i 's/a/b/' a b", [("edit", "a", None), ("edit", "b", None)]),
        ("sed -i.old -e 's/a/b/' a", [("edit", "a", None)]),
        ("sed -Ei 's/a/b/' a", [("edit", "a", None)]),
        ("grep -rn 'two words' src lib", [("search", "src", None), ("search", "lib", None)]),
        ("grep -e one -e two a", [("search", "a", None)]),
        ("rg name", [("search", "", None)]),
        ("cat a | grep b", [("read", "a", None)]),
        ("cat '' a", [("read", "a", None)]),
        ("bat '", []),
        ("cd src && touch ''", []),
        ("cat .; tee ./", []),
        ("ls -la src", [("list", "src", None)]),
        ("find src -name '*.py'", [("list", "src", None)]),
        ("ls", [("list", "", None)]),
        ("wc -l a.py", [("analyze", "a.py", None)]),
        ("git diff src/a.py", [("analyze", "src/a.py", None)]),
        ("make > out.txt 2>&1", [("write", "out.txt", None)]),
        ("make >& out.txt", [("write", "out.txt", None)]),
        ("make >> out.txt", [("write", "out.txt", None)]),
        ("make > /dev/null", []),
        ("make | tee log.txt", [("write", "log.txt", None)]),
        ("cd src && cat a.py; cd sub\ncat b.py", [("read", "src/a.py", None), ("read", "src/sub/b.py", None)]),
        ("(cd src && cat a.py)", [("read", "src/a.py", None)]),
        ("cd src && cat /etc/hosts ~/x", [("read", "/etc/hosts", None), ("read", "~/x", None)]),
        ("cat > a.py <<'EOF'\ncat secret\nEOF\ncat b", [("write", "a.py", None), ("read", "b", None)]),
        ("cat <<-EOF\n\tcat secret\n\tEOF\ncat b", [("read", "b", None)]),
        ("wc -c <<< word\ncat b", [("read", "b", None)]),
        ("# cat a\ncat b # c", [("read", "b", None)]),
        ("cat a \\\n  b", [("read", "a", None), ("read", "b", None)]),
        ("FOO=1 sudo /usr/bin/cat a", [("read", "a", None)]),
        ("python run.py", []),
        ("", []),
    ],
)
def test_a_command_tells_which_files_it_touches(
    command: str, expected: list[tuple[str, str, tuple[int, int] | None]]
) -> None:
    assert acts(command) == expected


@pytest.mark.parametrize(
    "command",
    [
        *("cat a | grep b", "ls a 2>&1 | head", "find . -iname '*.py'", "grep -inr x src", "sed -n '1,5p' a"),
        *("sed 's/a/b/g' a | sort -u", "cd src && git status", "ls > /dev/null", "# see\ncat a", "(cat a; cat b)"),
        *("cat a 2>/dev/null || true", "cat <<EOF\nrm a\nEOF", "tail -n 5 a && wc -l b", "uniq -c a"),
    ],
)
def test_what_only_looks_is_known_to(command: str) -> None:
    assert only_reads(command)


@pytest.mark.parametrize(
    "command",
    [
        *("", "make", "cat a > b", "cat a >| b", "cat a &> b", "echo $(rm a)", "echo `rm a`", "cat <(rm a)"),
        *("find . -delete", "find . -fprint0 b", "find . -exec rm {} +", "fd -x rm", "rg --pre=rm x", "sort -o a a"),
        *("sort -uo a a", "uniq a b", "tree -o b", "less -o b a", "sed -i s/a/b/ a", "sed -Ei s/a/b/ a", "sed -f x a"),
        *("sed --in-place s/a/b/ a", "sed 'w b' a", "sed 's/a/b/w b' a", "sed 's/a/rm/e' a", "sed -n '1e rm' a"),
        *("cat <<< x\nrm a", "cat $((1 << 2))\nrm a\n2))", "cat a; rm a", "cat a\nrm a", "cat a & rm a", "(rm a)"),
        "cat " + "a" * 20_000,
    ],
)
def test_what_may_do_more_than_look_is_not_taken_for_looking(command: str) -> None:
    assert not only_reads(command)


def test_programs_that_are_named_may_stand_beside_those_that_look() -> None:
    own = frozenset(("git",))

    assert only_reads("cd src && git commit -m \"$(cat <<'EOF'\nwords\nEOF\n)\"", own)
    assert not only_reads("git log && rm a", own)
    assert not only_reads('git log; echo "$(rm a)"', own)
    assert not only_reads("git commit -m $((1 << 2))\nrm a\n2))", own)


@settings(deadline=None, max_examples=300)
@given(COMMANDS)
@example("echo a > ./")
@example("bat '")
def test_no_text_makes_it_fail(command: str) -> None:
    found = acts(command)

    assert all(path for act, path, _ in found if act not in ("search", "list"))
    if only_reads(command):
        assert not [act for act, _, _ in found if act in ("edit", "write")]
