"""A model that is a command: what is read out of its answer, and what is told of each way in which it fails."""

import json
import os
import sys
from pathlib import Path

import pytest

from tests.model_world import EMPTY, PROGRAMS, program
from verifflowcc.base.errors import ModelError
from verifflowcc.base.model.ports import ModelAnswer
from verifflowcc.memory.rules.model_extraction import answer_schema
from verifflowcc.memory.store.model_api import CommandModel

ASKED_S = 20
FAILURES = {
    "prose alone": ("bad_json", "answered with no JSON object"),
    "nothing": ("bad_json", "answered with nothing"),
    "a list": ("bad_json", "answered with no JSON object"),
    "cut off": ("bad_json", "answered with no JSON object"),
    "not UTF-8": ("bad_json", "answered with what is not UTF-8"),
    "braces": ("bad_json", "answered with no JSON object"),
    "brackets": ("bad_json", "answered with no JSON object"),
    "huge": ("bad_json", "answered with more than"),
    "endless": ("bad_json", "answered with more than"),
    "complains": ("command", "ended with exit code 1: <U+001B>[31mno key is set"),
    "killed": ("command", "was ended by signal 9"),
}


def ask(command: tuple[str, ...], prompt: str = "What is there?", *, timeout_s: float = ASKED_S) -> ModelAnswer:
    return CommandModel(command, timeout_s).ask(prompt, answer_schema(), most_tokens=100_000)


@pytest.mark.vfcc("REQ-MODEL-PORT")
@pytest.mark.parametrize("name", ["good", "in a fence", "in prose", "after an example", "before an example"])
def test_the_json_is_found_wherever_it_stands_in_the_answer(name: str, tmp_path: Path) -> None:
    assert json.loads(ask(program(tmp_path, PROGRAMS[name])).text) == json.loads(EMPTY)


@pytest.mark.vfcc("REQ-MODEL-PORT", "REQ-WRITE-FALLBACK")
@pytest.mark.parametrize("name", FAILURES)
def test_a_bad_answer_is_one_sentence_and_the_word_that_it_is_counted_under(name: str, tmp_path: Path) -> None:
    with pytest.raises(ModelError) as caught:
        ask(program(tmp_path, PROGRAMS[name]))

    why, told = FAILURES[name]
    assert (caught.value.why, told in caught.value.message) == (why, True), caught.value
    assert "\n" not in caught.value.message
    assert caught.value.tokens is not None
    assert caught.value.tokens > 0


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-MODEL-PORT", "REQ-WRITE-FALLBACK")
@pytest.mark.parametrize("name", ["slow", "stubborn", "shouts"])
def test_what_takes_too_long_is_ended_with_all_that_it_started(name: str, tmp_path: Path) -> None:
    noted = tmp_path / "id"
    does = f"import os; open({str(noted)!r}, 'w').write(str(os.getpid()))\n{PROGRAMS[name]}"
    with pytest.raises(ModelError) as caught:
        ask(program(tmp_path, does), timeout_s=1)

    assert (caught.value.why, caught.value.tokens) == ("timeout", None)
    assert caught.value.message.endswith("did not answer within 1 s and was ended")
    with pytest.raises(ProcessLookupError):
        os.kill(int(noted.read_text(encoding="utf-8")), 0)


@pytest.mark.sweep
def test_what_a_program_leaves_running_is_ended_and_not_awaited(tmp_path: Path) -> None:
    noted = tmp_path / "id"
    left = f"import os, time; open({str(noted)!r}, 'w').write(str(os.getpid())); time.sleep(60)"
    does = (
        f"import subprocess, os\nsubprocess.Popen([sys.executable, '-c', {left!r}])\n"
        f"while not os.path.exists({str(noted)!r}) or not open({str(noted)!r}).read(): pass\nprint({EMPTY!r})"
    )
    assert json.loads(ask(program(tmp_path, does)).text) == json.loads(EMPTY)
    state = Path(f"/proc/{noted.read_text(encoding='utf-8')}/stat")
    assert not state.exists() or state.read_text(encoding="utf-8").rpartition(")")[2].split()[0] == "Z"


def test_a_key_that_a_program_repeats_in_its_complaint_is_not_told(tmp_path: Path) -> None:
    key = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
    with pytest.raises(ModelError) as caught:
        ask(program(tmp_path, f"print({key[:40]!r}, 'is no key', file=sys.stderr); sys.exit(2)"))
    assert "ghp_" not in caught.value.message
    assert caught.value.message.endswith("is no key")


def test_a_long_prompt_is_read_whole_and_one_that_nobody_reads_does_no_harm(tmp_path: Path) -> None:
    prompt = "ein Satz – " * 200_000
    does = 'print(json.dumps({"user_items": [], "project_items": [], "read": len(text)}))'
    assert json.loads(ask(program(tmp_path, does), prompt).text)["read"] == len(prompt)

    careless = tmp_path / "careless.py"
    careless.write_text(f"print({EMPTY!r})\n", encoding="utf-8")
    assert ask((sys.executable, str(careless)), prompt).text == EMPTY


def test_a_program_runs_in_an_empty_folder_and_without_a_shell(tmp_path: Path) -> None:
    does = 'import os; print(json.dumps({"files": os.listdir(), "words": sys.argv[1:]}))'
    found = json.loads(ask((*program(tmp_path, does), "$HOME; exit 3", "*")).text)
    assert found == {"files": [], "words": ["$HOME; exit 3", "*"]}


def test_an_answer_far_above_what_was_asked_for_is_ended(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="more than 4,896 bytes") as caught:
        CommandModel(program(tmp_path, "print('x' * 6_000)"), ASKED_S).ask("?", answer_schema(), most_tokens=100)
    assert caught.value.why == "bad_json"


def test_tokens_are_counted_here_in_and_out(tmp_path: Path) -> None:
    command = program(tmp_path, f"print({EMPTY!r}, end='')")
    found = CommandModel(command, ASKED_S, count=len).ask("abc", answer_schema(), most_tokens=1_000)
    assert (found.tokens_in, found.tokens_out) == (3, len(EMPTY))


@pytest.mark.parametrize("command", [("no-such-program-here",), ()])
def test_a_program_that_is_not_there_costs_nothing(command: tuple[str, ...]) -> None:
    with pytest.raises(ModelError, match="the model cannot be asked: ") as caught:
        ask(command)
    assert (caught.value.why, caught.value.tokens) == ("command", 0)
