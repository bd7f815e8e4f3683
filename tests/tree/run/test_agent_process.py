"""A client as a process: what it gets, what is read of it, which limit ends it, and that nothing of it is left."""

import json
import os
import select
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import stub_agent
from verifflowcc.run.rules.agent_port import (
    NO_USAGE,
    AgentClient,
    AgentCommand,
    AgentEnding,
    AgentLimits,
    AgentOutcome,
    AgentStep,
    AgentUsage,
    StepKind,
)
from verifflowcc.run.rules.client_choice import DRIVEN, CommandAgent
from verifflowcc.run.store.agent_process import ATTENDS, LONGEST_LINE_BYTES, marked, run_agent, sweep

RUN = f"r-test-{os.getpid()}"
MARKER = f"{RUN}/a-1"
QUICK = AgentLimits(seconds=30, grace_s=0, after_result_s=30)
DONE = '{"type":"result","outcome":"done","text":"all done"}\n'


def stub(acts: Sequence[object]) -> tuple[str, ...]:
    """Return the command of a stub that does these acts."""
    return (sys.executable, "-I", "-S", stub_agent.__file__, json.dumps(acts))


class Ran:
    """One call of the stub: how it ended, and the steps that were reported."""

    def __init__(
        self,
        folder: Path,
        acts: Sequence[object],
        *,
        limits: AgentLimits = QUICK,
        before: AgentUsage = NO_USAGE,
        stop: Callable[[], bool] = lambda: False,
        client: AgentClient | None = None,
        **options: Any,
    ) -> None:
        argv = stub(acts)
        command = replace(AgentCommand(argv, b"the prompt", str(folder), str(folder / "scratch"), "coder"), **options)
        self.steps: list[AgentStep] = []
        client = client or CommandAgent(argv)
        self.ending: AgentEnding = run_agent(client, command, limits, MARKER, self.steps.append, stop, before=before)

    @property
    def outcome(self) -> AgentOutcome:
        return self.ending.outcome

    def texts(self, kind: StepKind = StepKind.MESSAGE) -> list[str]:
        return [step.text for step in self.steps if step.kind is kind]


def test_the_prompt_is_on_stdin_and_kept_beside_the_output(tmp_path: Path) -> None:
    ran = Ran(tmp_path, ["read", ["write", DONE]])

    assert ran.texts() == ["the prompt"]
    assert (ran.outcome, ran.ending.message, ran.ending.exit_code) == (AgentOutcome.DONE, "all done", 0)
    assert (tmp_path / "scratch/prompt.md").read_bytes() == b"the prompt"
    assert (tmp_path / "scratch/stdout.ndjson").read_text(encoding="utf-8").endswith(DONE)


def test_a_client_gets_few_variables_and_its_markers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_TOKEN", "secret")
    monkeypatch.setenv("CLAUDECODE", "1")
    monkeypatch.setenv("TEAM_ONE", "1")
    monkeypatch.setenv("LC_TIME", "C")

    ran = Ran(tmp_path, ["environment"], environment={"ADDED": "yes"}, passes=("TEAM_*",))

    got = json.loads(ran.texts()[0])
    assert (got["VFCC_RUN"], got["VFCC_AGENT"], got["ADDED"], got["TEAM_ONE"], got["LC_TIME"]) == (
        MARKER,
        "coder",
        "yes",
        "1",
        "C",
    )
    assert got["PATH"] == os.environ["PATH"]
    assert not {"MY_TOKEN", "CLAUDECODE"} & set(got)


def test_files_of_the_client_are_written_before_it_starts(tmp_path: Path) -> None:
    Ran(tmp_path, [], files={"role.md": "You test.\n"})

    assert (tmp_path / "scratch/role.md").read_text(encoding="utf-8") == "You test.\n"


def test_a_program_that_is_missing_is_named(tmp_path: Path) -> None:
    ran = Ran(tmp_path, [], argv=("no-such-agent",))

    assert (ran.outcome, ran.ending.exit_code) == (AgentOutcome.CRASHED, None)
    assert ran.ending.failure == "no-such-agent: no such program"


@pytest.mark.parametrize(
    ("acts", "outcome"),
    [
        ([["exit", 0]], AgentOutcome.DONE),
        ([["exit", 3]], AgentOutcome.CRASHED),
        ([["exit", 75]], AgentOutcome.API_TRANSIENT),
        ([["exit", 77]], AgentOutcome.API_AUTH),
        ([["write", '{"type":"result","outcome":"refused"}\n']], AgentOutcome.REFUSED),
        ([["write", DONE], ["exit", 1]], AgentOutcome.CRASHED),
    ],
    ids=str,
)
def test_the_exit_code_of_a_command_is_its_word(tmp_path: Path, acts: Sequence[object], outcome: AgentOutcome) -> None:
    assert Ran(tmp_path, acts).outcome is outcome


def test_the_end_of_stderr_says_why_a_client_failed(tmp_path: Path) -> None:
    ran = Ran(tmp_path, [["error", "reading\nthe disk is full\n"], ["exit", 1]])

    assert (ran.outcome, ran.ending.failure) == (AgentOutcome.CRASHED, "the disk is full")
    assert (tmp_path / "scratch/stderr.txt").read_text(encoding="utf-8") == "reading\nthe disk is full\n"


def test_time_has_an_end_even_for_a_client_that_ignores_the_request(tmp_path: Path) -> None:
    ran = Ran(
        tmp_path, ["deaf", ["write", '{"type":"message","text":"ready"}\n'], "hang"], limits=replace(QUICK, seconds=1)
    )

    assert (ran.outcome, ran.ending.exit_code) == (AgentOutcome.LIMIT_TIME, -9)


def test_a_run_that_is_stopped_ends_its_client(tmp_path: Path) -> None:
    answers = iter((False, True))

    ran = Ran(tmp_path, ["hang"], stop=lambda: next(answers), limits=replace(QUICK, grace_s=5))

    assert (ran.outcome, ran.ending.exit_code) == (AgentOutcome.INTERRUPTED, -15)


def test_a_result_counts_though_the_client_stays(tmp_path: Path) -> None:
    ran = Ran(tmp_path, [["write", DONE], "hang"], limits=replace(QUICK, after_result_s=0))

    assert (ran.outcome, ran.ending.message) == (AgentOutcome.DONE, "all done")


def test_turns_tokens_and_money_are_counted_here(tmp_path: Path) -> None:
    turns = "".join(f'{{"type":"message","turn":"{n}","text":"t"}}\n' for n in range(4))
    tokens = '{"type":"usage","input_tokens":900,"output_tokens":200}\n'
    money = '{"type":"usage","usd":1.5}\n'

    def ended(text: str, limits: AgentLimits, before: AgentUsage = NO_USAGE) -> AgentOutcome:
        return Ran(tmp_path, [["write", text], "hang"], limits=limits, before=before).outcome

    assert ended(turns, replace(QUICK, turns=3)) is AgentOutcome.LIMIT_TURNS
    assert ended(tokens, replace(QUICK, tokens=1_000)) is AgentOutcome.LIMIT_TOKENS
    assert ended(money, replace(QUICK, micro_usd=1_000_000)) is AgentOutcome.LIMIT_MONEY
    earlier = AgentUsage(500, 0, 0, 1_000_000)
    within = replace(QUICK, seconds=1, tokens=1_000, micro_usd=1_000_000)
    assert ended(tokens + money, within, earlier) is AgentOutcome.LIMIT_TIME


def test_only_what_is_new_in_a_session_is_booked(tmp_path: Path) -> None:
    line = '{"type":"usage","input_tokens":900,"output_tokens":200,"cached_tokens":100,"usd":0.5}\n'

    ran = Ran(tmp_path, [["write", line]], before=AgentUsage(400, 50, 100, 100_000))

    assert ran.ending.usage == AgentUsage(900, 200, 100, 500_000)
    assert ran.ending.spent == AgentUsage(500, 150, 0, 400_000)


def test_a_process_with_a_session_of_its_own_does_not_outlive_the_attempt(tmp_path: Path) -> None:
    ran = Ran(tmp_path, [["detach", 600], ["write", DONE]])

    assert (ran.outcome, len(ran.ending.orphans)) == (AgentOutcome.DONE, 1)
    assert marked(RUN) == ()


@pytest.mark.skipif(not ATTENDS, reason="only Linux hands orphans to an attendant")
def test_a_process_that_hides_its_marker_does_not_outlive_the_attempt_either(tmp_path: Path) -> None:
    ran = Ran(tmp_path, [["hide", 600], ["detach", 600], ["write", DONE]])

    assert (ran.outcome, len(ran.ending.orphans)) == (AgentOutcome.DONE, 2)
    assert not any(Path(f"/proc/{pid}").exists() for pid in ran.ending.orphans)


DRIVER = """\
import sys
from tests.tree.run.test_agent_process import QUICK, CommandAgent, AgentCommand, run_agent, stub

argv = stub([["hide", 600], ["detach", 600], ["write", '{"type":"message","text":"ready"}\\n'], "deaf", "hang"])
command = AgentCommand(argv, b"", sys.argv[2], sys.argv[2] + "/scratch", "coder")
run_agent(CommandAgent(argv), command, QUICK, sys.argv[1], lambda step: print(step.text, flush=True), lambda: False)
"""


@pytest.mark.skipif(not ATTENDS, reason="only Linux hands orphans to an attendant")
def test_a_driver_that_is_killed_takes_its_agent_with_it(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", DRIVER, MARKER, str(tmp_path)], stdout=subprocess.PIPE) as driver:
        assert driver.stdout
        assert driver.stdout.readline() == b"ready\n"
        left = [*marked(RUN), *below(driver.pid)]
        watched = [os.pidfd_open(pid) for pid in left]
        driver.kill()

    assert len(left) >= 4
    for descriptor in watched:
        assert select.select([descriptor], [], [], 30)[0]
        os.close(descriptor)


def below(pid: int) -> list[int]:
    """Return the processes below one, however deep."""
    parents = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it ended since
            parents[int(stat.parent.name)] = int(stat.read_text().rpartition(")")[2].split()[1])
    found = [pid]
    for each in found:
        found += [child for child, parent in parents.items() if parent == each]
    return found[1:]


def test_a_sweep_ends_one_attempt_or_the_whole_run(tmp_path: Path) -> None:
    def started(marker: str) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(["sleep", "600"], env={"PATH": os.environ["PATH"], "VFCC_RUN": marker})

    one, two = started(f"{RUN}/a-2"), started(f"{RUN}/a-22")
    try:
        assert sweep(f"{RUN}/a-2") == (one.pid,)
        assert two.poll() is None
        assert sweep(RUN[:-1]) == ()
        assert sweep(RUN) == (two.pid,)
    finally:
        one.kill()
        two.kill()
        assert (one.wait(), two.wait()) == (-9, -9)


def test_an_error_of_the_caller_ends_the_client_first(tmp_path: Path) -> None:
    def fail(step: AgentStep) -> None:
        raise ValueError(step.text)

    argv = stub([["detach", 600], ["write", DONE], "hang"])
    command = AgentCommand(argv, b"", str(tmp_path), str(tmp_path / "scratch"), "coder")
    with pytest.raises(ValueError, match="all done"):
        run_agent(CommandAgent(argv), command, QUICK, MARKER, fail, lambda: False)

    assert marked(RUN) == ()


def test_a_line_of_ten_megabytes_is_read_and_one_beyond_the_limit_is_not(tmp_path: Path) -> None:
    large = [["write", '{"type":"message","text":"'], ["many", "x", 10_000_000], ["write", '"}\n']]
    beyond = [["write", '{"type":"message","text":"'], ["many", "x", LONGEST_LINE_BYTES], ["write", '"}\n']]

    ran = Ran(tmp_path, [*large, *beyond, ["write", DONE]])

    assert [text[:3] for text in ran.texts()] == ["xxx"]
    assert ran.outcome is AgentOutcome.DONE


def test_an_answer_without_the_form_that_was_asked_for_is_none(tmp_path: Path) -> None:
    schema = '{"type":"object","required":["verdict"]}'

    prose = Ran(tmp_path, [["write", '{"type":"message","text":"fine"}\n']], schema=schema)
    formed = Ran(tmp_path, [["write", '{"type":"result","structured":{"verdict":"pass"}}\n']], schema=schema)

    assert (prose.outcome, prose.ending.failure) == (AgentOutcome.SCHEMA, "the answer is not JSON")
    assert (formed.outcome, formed.ending.structured) == (AgentOutcome.DONE, '{"verdict":"pass"}')


PIECES = st.one_of(
    st.sampled_from(
        (
            '{"type":"result","subtype":"success","is_error":false,"result":"x","modelUsage":{"m":{"inputTokens":5}}}\n',
            '{"type":"turn.completed","usage":{"input_tokens":-3}}\n',
            '{"type":"assistant","message":{"id":"m","content":[{"type":"tool_use","name":"Bash","input":[]}]}}\n',
            '{"type":"assistant","message":[{"content":7}]}\n',
            '{"type":"item.completed","item":{"type":"file_change","changes":[1,{"path":2}]}}\n',
            '{"type":"system","subtype":"api_retry","error_status":"x"}\n',
            '{"type":"result","total_cost_usd":1e400,"modelUsage":{"m":7}}\n',
            '{"type":"usage","input_tokens":true,"usd":"much"}\n',
            DONE,
            '{"type":"mess',
            "[" * 5_000 + "\n",
            "\n\n",
            "null\n",
        )
    ).map(lambda text: ["write", text]),
    st.text(max_size=40).map(lambda text: ["write", text.encode("utf-8", "replace").decode()]),
    st.binary(max_size=40).map(lambda data: ["bytes", data.hex()]),
    st.sampled_from((["error", "oops\n"], "close", "deaf", ["detach", 600], ["hide", 600])),
)
ENDS = st.one_of(st.just("hang"), st.integers(0, 255).map(lambda code: ["exit", code]), st.just(["write", ""]))


@settings(max_examples=60, deadline=None)
@given(acts=st.lists(PIECES, max_size=6), end=ENDS, client=st.sampled_from((*DRIVEN.values(), CommandAgent(("stub",)))))
def test_whatever_a_client_writes_it_ends_and_leaves_nothing(
    tmp_path_factory: pytest.TempPathFactory, acts: list[object], end: object, client: AgentClient
) -> None:
    """Torn lines, junk, no output, output closed early, a result and then silence: one ending, no process, no error."""
    limits = replace(QUICK, seconds=0 if end == "hang" else 30)
    if "close" in acts:
        acts = acts[: acts.index("close") + 1]

    ran = Ran(tmp_path_factory.mktemp("fuzz"), [*acts, end], client=client, limits=limits)

    assert isinstance(ran.outcome, AgentOutcome)
    if ran.outcome is AgentOutcome.DONE and not isinstance(client, CommandAgent):
        assert any(step.kind is StepKind.RESULT and not step.failed for step in ran.steps)
    if ran.ending.usage:
        assert min(ran.ending.usage.input_tokens, ran.ending.usage.output_tokens) >= 0
    assert marked(RUN) == ()
