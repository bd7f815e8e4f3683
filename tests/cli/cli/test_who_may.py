"""One table of classes, and who may run what: an agent, a program and a job are refused before anything happens."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
import typer
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.main import get_command

from tests.cli.at_terminal import typed
from tests.cli.process import PATIENCE_S, VFCC, Ran, by_person, environment, settings_of, vfcc
from tests.cli.trees import everything
from verifflowcc.base.model.command_classes import (
    _FLAGS,
    BY_OPTION,
    CI_TOO,
    CLASSES,
    COMMANDS,
    DRY_RUN,
    MOVE,
    PERSON,
    QUERY,
    WORK,
    class_of,
    class_with,
)
from verifflowcc.base.model.command_words import FLAGS, split_globals
from verifflowcc.base.model.gate_values import BaselineKind
from verifflowcc.cli.cli import run as at_once
from verifflowcc.cli.cli.app import app
from verifflowcc.cli.cli.who_may import GuardedCommand

pytestmark = pytest.mark.vfcc("REQ-ACTORS")

OF_PERSON = {
    "approve": "approve coding --yes",
    "doctor --repair": "doctor --repair --yes",
    "waive": "waive tests --reason small --yes",
    "evidence redact": "evidence redact 4K7M --reason small --yes",
    **{f"baseline {kind}": f"baseline {kind} --reason old --expires 2999-12-31 --yes" for kind in BaselineKind},
    "stage skip": "stage skip --reason small --yes",
    "memory promote": "memory promote x --yes",
    "memory copy": "memory copy --scope project --from files --to sqlite",
    "history prune": "history prune --older-than 90d --yes",
    "trace review": "trace review --all --yes",
    "trace verify": "trace verify REQ-a --saw x --yes",
    "trace baseline create": "trace baseline create one",
    "workflow use": "workflow use agile",
    "integrate --uninstall": "integrate claude --uninstall",
    "integrate --force": "integrate claude --force",
    "memory forget --source": "memory forget --source x --yes",
    "memory forget --all": "memory forget --all --scope user --yes",
    "memory maintain --forget-project": "memory maintain --forget-project x",
    "sprint close --unfinished": "sprint close --unfinished enough",
    "evidence run --refactoring": "evidence run red-first --refactoring enough",
    "sprint resolve --keep": "sprint resolve --keep 01KABCDEFGHJKMNPQRSTVWXYZ0",
}
OF_CI = {"allow": "allow --yes", "migrate": "migrate"}
REFUSED = " needs a person at a terminal"


def commands(command: object = None, path: tuple[str, ...] = ()) -> Iterator[tuple[str, object]]:
    """Each command that does something by itself, groups among them, with its name."""
    command = command or get_command(app)
    below = getattr(command, "commands", {})
    for name, each in below.items():
        yield from commands(each, (*path, name))
    if path and (not below or getattr(command, "invoke_without_command", False)):
        yield " ".join(path), command


@cache
def found_commands() -> dict[str, object]:
    return dict(commands())


def options_of(command: object) -> set[str]:
    return {option for each in getattr(command, "params", ()) for option in each.opts if option.startswith("-")}


# The table


def test_every_command_has_a_class_and_every_class_a_command() -> None:
    assert {name for name, _ in commands()} == set(COMMANDS)
    assert set(COMMANDS.values()) == set(CLASSES)


def test_every_option_in_the_table_is_one_of_its_command() -> None:
    found = dict(commands())
    listed = {(name, option) for name, table in BY_OPTION.items() for option in table}

    assert {(name, option) for name, option in listed if option not in options_of(found[name])} == set()


def test_every_command_is_guarded_and_a_group_that_does_something_is_for_everybody() -> None:
    for name, command in commands():
        if getattr(command, "commands", None):
            assert {COMMANDS[name], *BY_OPTION.get(name, {}).values()} <= {QUERY, WORK, MOVE}, name
        else:
            assert isinstance(command, GuardedCommand), name


def test_a_query_that_writes_a_file_is_work() -> None:
    for name, command in commands():
        paths = {
            option
            for each in getattr(command, "params", ())
            for option in each.opts
            if option in ("--output", "-o") and not each.is_flag
        }
        if COMMANDS[name] == QUERY:
            assert paths == {o for o in BY_OPTION.get(name, {}) if o in ("--output", "-o")}, name


def test_flags_that_the_table_knows_take_no_value() -> None:
    for name, command in commands():
        for each in getattr(command, "params", ()):
            known = {*_FLAGS, DRY_RUN} & set(each.opts)
            assert not known or each.is_flag or (name, each.opts) == ("context diff", ["--commit"]), (name, known)


def test_what_is_answered_without_the_guard_is_for_everybody() -> None:
    fast = ["memory search", *(f"code {name}" for name in at_once.CODE), "status", "hook"]

    assert {COMMANDS[name] for name in fast} <= {QUERY, WORK}


@pytest.mark.parametrize(
    ("line", "sort"),
    [
        ("approve --request --yes", WORK),
        ("approve --reason --request --yes", PERSON),
        ("approve -- --request", PERSON),
        ("allow --check", QUERY),
        ("allow --yes", CI_TOO),
        ("integrate claude --force --dry-run", QUERY),
        ("memory forget --source --dry-run", PERSON),
        ("memory forget --source=x --dry-run", QUERY),
        ("memory purge --source=x", PERSON),
        ("memory purge --source=x --dry-run", QUERY),
        ("trace clear a --to b", PERSON),
        ("config check --quiet", QUERY),
        ("task clear", WORK),
        ("-C status approve plan", PERSON),
        ("-q -C approve --no-color status", QUERY),
        ("approve -q --request", WORK),
        ("approve -m --request", PERSON),
        ("help approve", QUERY),
        ("help --all", QUERY),
        ("memory maintain --forget-project --dry-run", PERSON),
        ("sprint close", MOVE),
        ("sprint close --unfinished=x", PERSON),
        ("sprint resolve", QUERY),
        ("sprint resolve --keep x", PERSON),
        ("sprint resolve --reason -- --keep x", PERSON),
        ("sprint resolve -- --keep x", QUERY),
        ("approve --reason -- --request", PERSON),
        ("check --rerun", WORK),
        ("trace matrix -oout.html", WORK),
        ("trace matrix", QUERY),
        ("context", None),
    ],
)
def test_options_change_the_class_only_where_they_are_options(line: str, sort: str | None) -> None:
    assert class_of(line.split()) == sort


@settings(deadline=None, max_examples=200)
@given(st.data())
def test_words_alone_never_give_a_freer_class_than_the_parsed_options(data: st.DataObject) -> None:
    """Hooks have the words of a command alone; whatever is a value there must not pass for an option."""
    found = found_commands()
    name = data.draw(st.sampled_from(sorted(BY_OPTION)))
    command = found[name]
    pool = [*sorted(options_of(command)), *BY_OPTION[name], "x", "--", "-"]
    words = data.draw(st.lists(st.sampled_from(pool), max_size=6))
    try:
        context = command.make_context(name.split()[-1], list(words))  # type: ignore[attr-defined]
    except (typer.TyperException, typer.Exit):  # what does not parse does not run
        return
    typed_options = {
        option
        for each in command.params  # type: ignore[attr-defined]
        if each.name and getattr(context.get_parameter_source(each.name), "name", "DEFAULT") != "DEFAULT"
        for option in each.opts
    }
    order = list(CLASSES)

    parsed = class_with(name, typed_options)
    assert order.index(str(class_of([*name.split(), *words]))) >= order.index(parsed), (words, parsed)


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_options_before_a_command_change_no_class(data: st.DataObject) -> None:
    """Whatever the folder behind -C is called: it is that of the command which vfcc then runs."""
    folders = st.tuples(st.just("-C"), st.sampled_from(["status", "approve", "-q", "--help", "--", "memory list", ""]))
    before = data.draw(st.lists(st.one_of(st.sampled_from([(flag,) for flag in FLAGS]), folders), max_size=4))
    words = data.draw(st.sampled_from(sorted(COMMANDS))).split()
    typed_words = [word for each in before for word in each] + words

    assert class_of(typed_words) == class_of(words)
    assert split_globals(typed_words)[2] == words


# Who may


def below_client(folder: Path, *arguments: str) -> Ran:
    """Run `vfcc` at a terminal, with nothing in its environment, below an executable called `claude`."""
    client = folder.parent / "bin" / "claude"
    client.parent.mkdir(exist_ok=True)
    client.write_text('#!/bin/sh\n"$@"\nexit $?\n', encoding="utf-8")
    client.chmod(0o755)
    ours, theirs = os.openpty()
    done = subprocess.run(
        [client, VFCC, *arguments],
        cwd=folder,
        env=environment(folder.parent, GIT_CONFIG_GLOBAL=settings_of("You")),
        stdin=theirs,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    os.close(ours)
    os.close(theirs)
    return Ran(done.returncode, done.stdout, done.stderr)


def _marked(folder: Path, *arguments: str) -> Ran:
    return by_person(folder, *arguments, env={"CLAUDECODE": "1"})


def _in_ci(folder: Path, *arguments: str) -> Ran:
    return by_person(folder, *arguments, env={"CI": "true"})


ACTORS = {
    "agent": (_marked, "this is agent:unknown (CLAUDECODE is set)"),
    "agent below a client": (below_client, "this is agent:unknown (claude is among the processes that started it)"),
    "program": (vfcc, "this is a program without a terminal"),
    "ci": (_in_ci, "this is a CI job"),
}


def test_all_commands_of_a_person_and_of_ci_are_tried_below() -> None:
    listed = {name: sort for name, sort in COMMANDS.items() if sort in (PERSON, CI_TOO)}
    listed |= {f"{name} {option}": s for name, table in BY_OPTION.items() for option, s in table.items() if s == PERSON}

    assert set(listed) == {*OF_PERSON, *OF_CI}
    for name, line in {**OF_PERSON, **OF_CI}.items():
        assert class_of(line.split()) == listed[name], line


@pytest.mark.points(4)
@pytest.mark.parametrize("who", ACTORS)
@pytest.mark.parametrize("name", OF_PERSON)
def test_a_persons_command_is_refused_to_everybody_else(example: Path, name: str, who: str) -> None:
    run, this_is = ACTORS[who]
    before = everything(example)

    ran = run(example, *OF_PERSON[name].split())

    ran.refused(3, f"{name.partition(' --')[0]}{REFUSED}, and {this_is}", "\nhint: vfcc ")
    assert everything(example) == before


@pytest.mark.points(2)
@pytest.mark.parametrize("who", [each for each in ACTORS if each != "ci"])
@pytest.mark.parametrize("name", OF_CI)
def test_what_ci_may_is_refused_to_agents_and_programs(example: Path, name: str, who: str) -> None:
    run, this_is = ACTORS[who]
    before = everything(example)

    ran = run(example, *OF_CI[name].split())

    ran.refused(3, f"vfcc {name} needs a person at a terminal or a CI job, and {this_is}", f"hint: vfcc {name}")
    assert everything(example) == before


@pytest.mark.points(2)
@pytest.mark.parametrize("name", [*OF_PERSON, *OF_CI])
def test_a_person_is_not_refused(example: Path, name: str) -> None:
    ran = by_person(example, *{**OF_PERSON, **OF_CI}[name].split())

    assert REFUSED not in ran.err, ran


@pytest.mark.points(1)
@pytest.mark.parametrize("name", OF_CI)
def test_a_job_is_not_refused_what_it_may(example: Path, name: str) -> None:
    assert REFUSED not in vfcc(example, *OF_CI[name].split(), env={"CI": "true"}).err


def test_a_person_without_a_name_decides_nothing(example: Path) -> None:
    ran = by_person(example, "workflow", "use", "agile", env={"GIT_CONFIG_GLOBAL": os.devnull})

    ran.refused(3, "vfcc workflow use needs a person whom git has a name for", "hint: git config --global user.name")


@pytest.mark.points(2)
@pytest.mark.parametrize("name", [n for n, c in commands() if DRY_RUN in options_of(c)])
def test_a_dry_run_is_free_and_writes_nothing(example: Path, name: str) -> None:
    line = {**OF_PERSON, **OF_CI}.get(
        name, {"integrate": "integrate claude --force --uninstall"}.get(name, f"{name} x")
    )
    before = everything(example)

    ran = vfcc(example, *line.replace(" --yes", "").split(), DRY_RUN, env={"VFCC_AGENT": "coder"})

    assert REFUSED not in ran.err, ran
    assert {k: v for k, v in everything(example).items() if "local" not in k} == {
        k: v for k, v in before.items() if "local" not in k
    }


@pytest.mark.points(1)
@pytest.mark.parametrize("name", ["approve", "memory promote", "allow"])
def test_help_is_free(example: Path, name: str) -> None:
    assert vfcc(example, *name.split(), "--help", env={"VFCC_AGENT": "coder"}).code == 0


def test_a_request_with_yes_is_a_request_and_approves_nothing(example: Path) -> None:
    ran = vfcc(example, "approve", "--request", "--yes", env={"VFCC_AGENT": "coder"})

    assert "approved by" not in ran.out


def test_a_value_that_looks_like_an_option_is_no_way_around(example: Path) -> None:
    vfcc(example, "approve", "--yes", "--reason", "--request").refused(3, f"approve{REFUSED}")
    vfcc(example, "memory", "forget", "--yes", "--source", "--dry-run").refused(3, f"forget{REFUSED}")


def test_a_terminal_made_by_script_below_a_client_makes_no_person(example: Path, tmp_path: Path) -> None:
    if shutil.which("script") is None:
        pytest.skip("script is not installed")
    client = tmp_path / "claude"
    client.write_text('#!/bin/sh\nscript -qec "$1" /dev/null\nexit $?\n', encoding="utf-8")
    client.chmod(0o755)
    done = subprocess.run(
        [client, f"env -u CLAUDECODE {VFCC} workflow use agile"],
        cwd=example,
        env=environment(tmp_path, CLAUDECODE="1", GIT_CONFIG_GLOBAL=settings_of("You")),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )

    assert done.returncode == 3, done
    assert "claude is among the processes that started it" in done.stdout


def test_a_person_at_a_terminal_whose_output_is_piped_is_a_person(example: Path) -> None:
    assert typed(example, "workflow", "use", "agile").code == 0
