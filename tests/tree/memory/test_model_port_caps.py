"""Caps on a model: calls and tokens, per turn and per day, in one process and in several at once."""

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.model_world import PROGRAMS, counting_program, times_asked, turn
from verifflowcc.base.errors import ModelError
from verifflowcc.base.files.private_files import user_home
from verifflowcc.base.model.config_values import MemorySettings, ModelSettings
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.memory.rules.metric_lines import CounterLine, metric_lines
from verifflowcc.memory.store.access_log import add_metrics, read_metrics_log
from verifflowcc.memory.use.model_budget import ModelSpending, open_budget, spent_today
from verifflowcc.memory.use.refining import Extractor, open_extractor

HIGH = "We decided to change this: from now on log lines are JSON instead of plain text."
WRITERS, EACH = 4, 25


@dataclass(frozen=True, slots=True)
class Fixed:
    """A clock that stands still."""

    at: datetime

    def now(self) -> datetime:
        return self.at


def on(day: int) -> Fixed:
    return Fixed(datetime(2026, 11, day, 12, tzinfo=UTC))


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Workspace]:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "config/vfcc").mkdir(parents=True)

    def settle(name: str = "shop", *, day: int = 21, does: str = "good", **caps: int) -> Workspace:
        command = json.dumps(counting_program(tmp_path, PROGRAMS[does]))
        named = "".join(f", {cap}: {value}" for cap, value in caps.items())
        (tmp_path / "config/vfcc/config.yaml").write_text(f"llm: {{command: {command}{named}}}\n", encoding="utf-8")
        (tmp_path / name / ".memory").mkdir(parents=True, exist_ok=True)
        return Workspace(tmp_path / name, clock=on(day))

    return settle


def run(workspace: Workspace, turns: int, **changes: int) -> Extractor:
    with open_extractor(workspace, MemorySettings(**changes)) as extractor:  # type: ignore[arg-type]
        for number in range(turns):
            extractor(turn(HIGH, id_=f"t{number}"))
        return extractor


@pytest.mark.vfcc("REQ-CALL-CAPS")
def test_the_calls_of_a_day_are_never_more_than_the_cap_in_all_projects_together(
    home: Callable[..., Workspace], tmp_path: Path
) -> None:
    first = run(home("shop", max_calls_per_day=3), 2)
    second = run(home("bank", max_calls_per_day=3), 4)

    assert (first.calls, second.calls, times_asked(tmp_path)) == (2, 1, 3)
    assert second.fallbacks == Counter({"capped": 3})
    assert second.notices == ("the cap of 3 calls for a day (llm.max_calls_per_day) is reached; rules extract instead",)
    assert spent_today(home()).calls == 3


@pytest.mark.vfcc("REQ-CALL-CAPS")
def test_a_new_day_has_its_own_calls(home: Callable[..., Workspace], tmp_path: Path) -> None:
    run(home(day=21, max_calls_per_day=1), 2)
    assert run(home(day=22, max_calls_per_day=1), 2).calls == 1
    assert times_asked(tmp_path) == 2
    assert spent_today(home(day=21)).calls == spent_today(home(day=22)).calls == 1


@pytest.mark.vfcc("REQ-CALL-CAPS")
def test_the_tokens_of_a_day_are_never_more_than_the_cap(home: Callable[..., Workspace], tmp_path: Path) -> None:
    workspace = home(max_tokens_per_day=2_000)
    used = run(workspace, 20)

    assert 1 <= used.calls < 20
    assert used.tokens == spent_today(workspace).tokens <= 2_000
    assert "2,000 tokens for a day (llm.max_tokens_per_day)" in used.notices[0]


@pytest.mark.vfcc("REQ-CALL-CAPS")
def test_a_turn_that_would_take_more_tokens_than_its_cap_is_not_asked_about(
    home: Callable[..., Workspace], tmp_path: Path
) -> None:
    workspace = home(max_tokens_per_turn=600)
    with open_extractor(workspace, MemorySettings()) as extractor:
        extractor(turn(HIGH + " and so on" * 300))

    assert (times_asked(tmp_path), extractor.fallbacks) == (0, Counter({"capped": 1}))
    assert "600 tokens for a turn (llm.max_tokens_per_turn)" in extractor.notices[0]
    assert spent_today(workspace) == ModelSpending()


def test_calls_again_for_one_turn_share_its_tokens(home: Callable[..., Workspace], tmp_path: Path) -> None:
    workspace = home(does="prose alone", max_tokens_per_turn=1_500)
    used = run(workspace, 1, max_llm_calls_per_turn=50)

    assert 1 < used.calls < 10
    assert used.tokens <= 1_500


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-CALL-CAPS")
def test_what_nobody_knows_the_tokens_of_counts_as_all_that_it_could_have_taken(
    home: Callable[..., Workspace],
) -> None:
    workspace = home(does="slow", timeout_s=1, max_tokens_per_turn=3_000)
    assert run(workspace, 1).tokens == spent_today(workspace).tokens == 3_000


def test_a_program_that_is_not_there_takes_a_call_and_no_tokens(home: Callable[..., Workspace], tmp_path: Path) -> None:
    workspace = home()
    (tmp_path / "config/vfcc/config.yaml").write_text("llm: {command: [no-such-program]}\n", encoding="utf-8")
    run(workspace, 1)
    assert spent_today(workspace) == ModelSpending(1, 0)


RESERVES = """
import sys
from verifflowcc.base.model.config_values import ModelSettings
from verifflowcc.base.errors import ConflictError, ModelError
from verifflowcc.memory.use.model_budget import ModelSpending, open_budget
budget, got = open_budget(None, ModelSettings(**eval(sys.argv[1]))), 0
for _ in range(int(sys.argv[2])):
    try:
        budget.reserve(10, ModelSpending(), 1)
        got += 1
    except ModelError as error:
        assert error.why == "capped"
    except ConflictError:
        pass
print(got)
"""


@pytest.mark.vfcc("REQ-CALL-CAPS")
@pytest.mark.parametrize(
    ("caps", "calls"),
    [
        ({"max_calls_per_day": 30, "max_tokens_per_day": 10**9}, 30),
        ({"max_calls_per_day": 10**6, "max_tokens_per_turn": 500, "max_tokens_per_day": 15_100}, 30),
    ],
    ids=["calls", "tokens"],
)
def test_processes_that_ask_at_once_get_no_more_than_the_cap_together(
    caps: dict[str, int], calls: int, home: Callable[..., Workspace]
) -> None:
    """Of the tokens each takes 500, so that 100 of them are left, which are too few for an answer."""
    workspace = home()
    running = [
        subprocess.Popen([sys.executable, "-c", RESERVES, repr(caps), str(EACH)], stdout=subprocess.PIPE, text=True)
        for _ in range(WRITERS)
    ]
    got = [int(each.communicate(timeout=60)[0]) for each in running]

    assert calls < WRITERS * EACH
    assert sum(got) == calls
    data = read_metrics_log(user_home() / "user/local")
    assert data.count(b"model.calls") == calls
    assert workspace.root.is_dir()


@dataclass(slots=True)
class Moving:
    """A clock that a test sets."""

    at: datetime

    def now(self) -> datetime:
        return self.at


@pytest.mark.vfcc("REQ-CALL-CAPS")
def test_what_a_call_gives_back_after_midnight_goes_to_the_day_of_which_it_was_taken(
    home: Callable[..., Workspace],
) -> None:
    """Or a call that began yesterday would raise what may be spent today."""
    clock = Moving(datetime(2026, 11, 21, 23, 59, 59, tzinfo=UTC))
    workspace = Workspace(home().root, clock=clock)
    budget = open_budget(workspace, ModelSettings(max_tokens_per_turn=1_000, max_tokens_per_day=1_500))
    reserved = budget.reserve(10, ModelSpending(), 1)
    clock.at = datetime(2026, 11, 22, 0, 0, 1, tzinfo=UTC)
    today = budget.reserve(10, ModelSpending(), 1)
    assert budget.settle(reserved, 100) == 100

    assert (reserved.tokens, today.tokens, spent_today(workspace)) == (1_000, 1_000, ModelSpending(1, 1_000))
    assert budget.reserve(10, ModelSpending(), 1).tokens == 500
    with pytest.raises(ModelError, match="1,500 tokens for a day"):
        budget.reserve(10, ModelSpending(), 1)
    clock.at = datetime(2026, 11, 21, 23, 59, 59, tzinfo=UTC)
    assert spent_today(workspace) == ModelSpending(1, 100)


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-CALL-CAPS")
def test_what_was_spent_today_is_known_after_the_log_was_summed(
    home: Callable[..., Workspace], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("verifflowcc.memory.store.access_log.GROWN_BYTES", 300)
    run(home(day=21), 20)
    log = user_home() / "user/local/metrics.jsonl"
    before = log.read_bytes().count(b"\n")
    used = run(home(day=22, max_calls_per_day=15), 20)

    assert (used.calls, spent_today(home(day=22)).calls, spent_today(home(day=21)).calls) == (15, 15, 20)
    assert log.read_bytes().count(b"\n") < before


def test_a_torn_line_costs_no_other_line(home: Callable[..., Workspace]) -> None:
    workspace = home()
    folder, inside = user_home() / "user/local", user_home()
    add_metrics(folder, inside, metric_lines([CounterLine("2026-11-21T10:00:00Z", "model.calls", 2)]), "2026-11-21")
    with (folder / "metrics.jsonl").open("ab") as file:
        file.write(b'{"at":"2026-11-21T10:00:00Z","metric":"model.ca')
    add_metrics(folder, inside, metric_lines([CounterLine("2026-11-21T11:00:00Z", "model.calls", 3)]), "2026-11-21")

    assert spent_today(workspace).calls == 5


def test_where_the_caps_cannot_be_counted_nothing_is_asked(home: Callable[..., Workspace], tmp_path: Path) -> None:
    workspace = home()
    (user_home() / "user/local").mkdir(parents=True)
    (user_home() / "user/local/metrics.jsonl").mkdir()
    used = run(workspace, 1)

    assert (times_asked(tmp_path), used.fallbacks) == (0, Counter({"capped": 1}))
    assert used.notices[0].startswith("the caps cannot be counted: ")


def test_no_calls_a_day_is_no_model_at_all(home: Callable[..., Workspace], tmp_path: Path) -> None:
    assert run(home(max_calls_per_day=0), 2).fallbacks == Counter({"capped": 2})
    assert times_asked(tmp_path) == 0


def test_a_call_that_the_turn_has_no_right_to_is_refused_before_anything_is_counted(
    home: Callable[..., Workspace],
) -> None:
    workspace = home()
    with pytest.raises(ModelError, match="the cap of 1 calls for a turn"):
        open_budget(workspace, ModelSettings()).reserve(10, ModelSpending(1, 10), 1)
    assert spent_today(workspace) == ModelSpending()
