"""A model behind an API, on a scripted server on loopback: good, slow, broken, hostile."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.model_world import EMPTY, Server, api, turn
from tests.trees import write_tree
from verifflowcc.base.errors import ModelError
from verifflowcc.base.model.config_values import MemorySettings, ModelSettings
from verifflowcc.base.model.ports import ModelAnswer
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.memory.rules.model_extraction import answer_schema
from verifflowcc.memory.rules.turn_statements import extract
from verifflowcc.memory.store.model_api import ApiModel
from verifflowcc.memory.store.model_opening import open_model
from verifflowcc.memory.use.refining import open_extractor
from verifflowcc.memory.use.statistics import measured

NAME = "openai-chat:some-model"
FAILURES = {
    "refuses": ("refused", 18, "refused to answer"),
    "cut off": ("bad_json", 18, "answered and was cut off"),
    "huge": ("bad_json", None, "answered with more than 1,048,576 bytes, or packed"),
    "endless": ("bad_json", None, "answered with more than 1,048,576 bytes, or packed"),
    "packed": ("bad_json", None, "answered with more than 1,048,576 bytes, or packed"),
    "page": ("bad_json", None, "answered with what its client cannot read"),
    "unauthorised": ("refused", 0, "answered with HTTP status 401"),
    "too many": ("refused", 0, "answered with HTTP status 429"),
    "broken": ("unreachable", 0, "answered with HTTP status 500"),
    "redirects": ("unreachable", 0, "cannot be reached"),
    "hangs up": ("unreachable", 0, "cannot be reached"),
}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-a-test")
    with api() as told:
        monkeypatch.setenv("OPENAI_BASE_URL", told.url)
        yield told


def ask(timeout_s: float = 20, name: str = NAME) -> ModelAnswer:
    return ApiModel(name, timeout_s).ask("What is there?", answer_schema(), most_tokens=321)


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-MODEL-PORT")
def test_a_good_answer_is_taken_with_the_tokens_that_the_server_says(server: Server) -> None:
    assert ask() == ModelAnswer(EMPTY, 11, 7)

    ((path, body),) = server.asked
    assert path == "/v1/chat/completions"
    assert body["messages"] == [{"role": "user", "content": "What is there?"}]
    assert body["max_completion_tokens"] == 321
    shape = body["response_format"]
    assert isinstance(shape, dict)
    assert shape["json_schema"]["schema"]["required"] == ["user_items", "project_items"]


@pytest.mark.points(5)
@pytest.mark.vfcc("REQ-MODEL-PORT", "REQ-WRITE-FALLBACK")
@pytest.mark.parametrize("does", FAILURES)
def test_each_failure_is_asked_once_and_told_in_one_sentence_without_the_key(does: str, server: Server) -> None:
    server.does = does
    with pytest.raises(ModelError) as caught:
        ask()

    why, tokens, told = FAILURES[does]
    assert (caught.value.why, caught.value.tokens) == (why, tokens), caught.value
    assert caught.value.message.startswith(f"{NAME} {told}")
    assert "sk-" not in caught.value.message
    assert len(server.asked) == 1


@pytest.mark.points(5)
@pytest.mark.vfcc("REQ-WRITE-FALLBACK", "REQ-METRICS-EXTRACTION")
@pytest.mark.parametrize("does", FAILURES)
def test_after_each_failure_the_rules_go_on_and_it_is_counted(
    does: str, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    write_tree(tmp_path, {"XDG_CONFIG_HOME/vfcc/config.yaml": f"llm: {{api: '{NAME}'}}\n", "shop/.memory/x": ""})
    here = Workspace(tmp_path / "shop")
    server.does = does
    with open_extractor(here, MemorySettings()) as extractor:
        found = extractor(turn())

    assert found == extract(turn())
    counted, _ = measured(here)
    assert (len(server.asked), counted.counters["extraction.calls"]) == (1, 1)
    assert (counted.counters["extraction.fallback.count"], counted.fallbacks) == (1, {FAILURES[does][0]: 1})
    assert not [notice for notice in extractor.notices if "sk-" in notice]


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-WRITE-FALLBACK")
def test_a_body_that_drips_for_ever_ends_with_the_time(server: Server) -> None:
    server.does = "slow"
    with pytest.raises(ModelError, match="did not answer within 1 s") as caught:
        ask(timeout_s=1)
    assert (caught.value.why, caught.value.tokens) == ("timeout", None)


@pytest.mark.vfcc("REQ-CALL-CAPS")
@pytest.mark.parametrize("states", [(-(10**9), -(10**9)), (0, 0), (10**15, 10**15), (1, 1)])
def test_a_server_cannot_give_tokens_back_by_stating_fewer(states: tuple[int, int], server: Server) -> None:
    server.states = states
    found = ApiModel(NAME, 20, count=len).ask("What is there? " * 10, answer_schema(), most_tokens=100)
    assert (found.tokens_in, found.tokens_out) == (150, len(EMPTY))


def test_prose_around_the_answer_is_left_out(server: Server) -> None:
    server.text = f"Here:\n```json\n{EMPTY}\n```\n"
    assert json.loads(ask().text) == json.loads(EMPTY)


def test_a_server_that_is_not_there_costs_nothing(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    with pytest.raises(ModelError, match="cannot be reached") as caught:
        ask()
    assert (caught.value.why, caught.value.tokens, server.asked) == ("unreachable", 0, [])


@pytest.mark.parametrize(
    ("name", "told"),
    [(NAME, "Set the `OPENAI_API_KEY` environment variable"), ("nobodys:model", "Unknown provider: nobodys")],
)
def test_what_is_missing_is_said_before_anything_is_sent(
    name: str, told: str, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.delenv("OPENAI_BASE_URL")
    with pytest.raises(ModelError) as caught:
        ask(name=name)
    assert (caught.value.why, caught.value.tokens, server.asked) == ("command", 0, [])
    assert caught.value.message.startswith(f"{name} cannot be asked: {told}")


@pytest.mark.vfcc("REQ-MODEL-PORT")
def test_without_the_library_it_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pydantic_ai.exceptions", None)
    with pytest.raises(ModelError, match="needs the extra llm") as caught:
        ask()
    assert (caught.value.why, caught.value.hint) == ("command", "pip install 'verifflowcc[llm]'")


def test_the_model_that_is_opened_is_the_one_that_was_named() -> None:
    command, named = open_model(ModelSettings(command=("ask",))), open_model(ModelSettings(api=NAME))
    assert (command and command.name, named and named.name) == ("ask", NAME)
    assert open_model(ModelSettings()) is None


def test_opening_a_model_imports_no_library_of_models() -> None:
    code = (
        "import sys; from verifflowcc.memory.store.model_opening import open_model; "
        "from verifflowcc.base.model.config_values import ModelSettings; open_model(ModelSettings(api='openai:x')); "
        "print([name for name in ('pydantic_ai', 'openai', 'httpx2', 'asyncio') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
