"""The contract of real clients that `vfcc run` builds on: how each call ends, what it costs, and what is left of it."""

import os
import signal
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from tests.clients.conftest import Desk
from tests.clients.driven import FORM, LIMITS, READING, ROLE, RUN, Driven, driven
from tests.clients.turns import Call, Turn, Usage, calls
from verifflowcc.run.rules.agent_port import AgentOutcome, AgentUsage, StepKind
from verifflowcc.run.rules.run_fold import UNCOUNTED
from verifflowcc.run.store.agent_process import marked

sweep = pytest.mark.sweep
SLEEP = {"claude": ("Bash", "command"), "codex": ("exec_command", "cmd")}
BUSY = "touch busy; tail -f /dev/null"
"""Claude Code does not run a long `sleep` in the foreground."""


@pytest.fixture(params=["claude", "codex"])
def client(request: pytest.FixtureRequest, desk: Desk) -> Driven:
    """Both clients, each in a folder of its own."""
    return driven(request.getfixturevalue(request.param), desk)


def shell(client: Driven, command: str) -> Turn:
    """Return a turn that runs a command in the client's shell."""
    tool, key = SLEEP[client.client.name]
    return calls(tool, **{key: command})


def in_tool(client: Driven, act: Callable[[], bool]) -> Callable[[], bool]:
    """Return what is to be asked whether to stop: it acts once the tool runs, when the session is on the disk."""
    return lambda: (client.desk.folder / "busy").exists() and act()


def test_claude_works_within_its_tools_and_its_cost_is_booked(claude: Path, desk: Desk) -> None:
    client = driven(claude, desk)

    call = client.call(
        [
            calls("Write", file_path="tests/one.py", content="1\n"),
            calls("Write", file_path="src/one.py", content="1\n"),
            calls("Bash", command="git commit -m mine", description="commit"),
            Turn("All done.", usage=Usage(input=7, output=5, cache_read=3, cache_write=2)),
        ]
    )

    assert (call.ending.outcome, call.ending.message, call.ending.turns) == (AgentOutcome.DONE, "All done.", 4)
    assert call.ending.denied == ("Write", "Bash")
    assert (desk.folder / "tests/one.py").exists()
    assert not (desk.folder / "src").exists()
    assert (call.ending.usage, call.ending.spent) == (AgentUsage(312, 35, 3, 1_454),) * 2
    assert call.server.asked()[0].holds(ROLE.splitlines()[0])
    assert list(call.server.asked()[0].tools()) == ["Bash", "Edit", "Glob", "Grep", "Read", "Write"]


def test_codex_works_in_its_sandbox_and_its_tokens_are_booked(codex: Path, desk: Desk) -> None:
    client = driven(codex, desk)

    call = client.call([shell(client, "echo fresh > b.txt"), Turn("All done.")])

    assert (call.ending.outcome, call.ending.message) == (AgentOutcome.DONE, "All done.")
    assert (desk.folder / "b.txt").read_text(encoding="utf-8") == "fresh\n"
    assert (call.ending.usage, call.ending.spent) == (AgentUsage(200, 20),) * 2
    assert call.server.asked()[0].holds(ROLE)


@sweep
def test_a_session_is_resumed_and_only_the_difference_is_booked(client: Driven) -> None:
    first = client.call([Turn("One.", usage=Usage(input=1_000, output=100))])
    second = client.call(
        [Turn("Two.", usage=Usage(input=3_000, output=200))],
        resume="The gate is closed.",
        before=first.ending.usage or AgentUsage(),
    )

    assert first.ending.usage
    assert second.ending.usage
    assert second.ending.spent
    assert second.ending.session == first.ending.session
    assert second.server.asked()[0].holds("The gate is closed.")
    assert second.server.asked()[0].holds("One.")
    assert second.server.asked()[0].holds(ROLE.splitlines()[0])
    assert (second.ending.usage.input_tokens, second.ending.usage.output_tokens) == (4_000, 300)
    assert (second.ending.spent.input_tokens, second.ending.spent.output_tokens) == (3_000, 200)
    if client.client.abilities.counts_money:
        assert (first.ending.usage.micro_usd, second.ending.spent.micro_usd) == (4_500, 12_000)


@sweep
@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        (400, AgentOutcome.API_AUTH),
        (401, AgentOutcome.API_AUTH),
        (429, AgentOutcome.API_TRANSIENT),
        (529, AgentOutcome.API_TRANSIENT),
    ],
)
def test_an_error_of_the_api_is_no_attempt_of_the_agent(client: Driven, status: int, outcome: AgentOutcome) -> None:
    call = client.call([Turn(status=status)] * 40)

    assert (call.ending.outcome, call.ending.exit_code) == (outcome, 1), call.ending
    assert call.ending.outcome in UNCOUNTED
    assert str(status) in call.ending.failure


@sweep
def test_where_nothing_listens_claude_gives_up_and_time_ends_codex(client: Driven) -> None:
    call = client.call([], listening=False, limits=replace(LIMITS, seconds=10))

    wanted = AgentOutcome.API_TRANSIENT if client.client.name == "claude" else AgentOutcome.LIMIT_TIME
    assert call.ending.outcome is wanted, call.ending
    assert marked(RUN) == ()


@sweep
def test_a_client_that_refuses_its_command_line_is_quoted(client: Driven, tmp_path: Path) -> None:
    newer = tmp_path / client.client.name
    newer.write_text(f'#!/bin/sh\nexec "{client.client.program}" --no-such-flag "$@"\n')
    newer.chmod(0o755)

    call = driven(newer, client.desk).call([])

    assert (call.ending.outcome, call.server.asked()) == (AgentOutcome.CRASHED, []), call.ending
    assert "--no-such-flag" in call.ending.failure


@sweep
def test_an_api_that_recovers_is_not_noticed(claude: Path, desk: Desk) -> None:
    call = driven(claude, desk).call([Turn(status=529), Turn("Back again.")])

    assert (call.ending.outcome, call.ending.message) == (AgentOutcome.DONE, "Back again.")
    assert [step.status for step in call.steps if step.kind is StepKind.RETRY] == [529]


@sweep
def test_a_model_that_refuses_is_named(claude: Path, desk: Desk) -> None:
    call = driven(claude, desk).call([Turn("No.", stop="refusal")] * 4)

    assert call.ending.outcome is AgentOutcome.REFUSED, call.ending


@sweep
def test_an_answer_that_is_cut_is_a_limit(claude: Path, desk: Desk) -> None:
    call = driven(claude, desk).call([Turn("half", stop="max_tokens")] * 8)

    assert call.ending.outcome is AgentOutcome.LIMIT_TOKENS, call.ending


@sweep
def test_turns_are_limited_by_the_client_or_by_vfcc(client: Driven) -> None:
    call = client.call([shell(client, f"echo {n}") for n in range(20)], limits=replace(LIMITS, turns=3))

    assert call.ending.outcome is AgentOutcome.LIMIT_TURNS, call.ending
    assert len(call.server.asked()) <= 6


@sweep
def test_money_is_limited_after_the_request_that_passes_the_limit(claude: Path, desk: Desk) -> None:
    dear = Turn("x", calls=(Call("Read", {"file_path": "a.txt"}),), usage=Usage(input=500_000, output=50_000))

    call = driven(claude, desk).call([dear] * 3, limits=replace(LIMITS, micro_usd=500_000))

    assert call.ending.outcome is AgentOutcome.LIMIT_MONEY
    assert call.ending.spent
    assert call.ending.spent.micro_usd == 2_250_000


@sweep
def test_tokens_are_limited_by_vfcc_while_claude_works(claude: Path, desk: Desk) -> None:
    turns = [Turn(calls=(Call("Read", {"file_path": "a.txt"}),), usage=Usage(input=10, output=400))] * 30

    call = driven(claude, desk).call(turns, limits=replace(LIMITS, tokens=1_000))

    assert call.ending.outcome is AgentOutcome.LIMIT_TOKENS
    assert call.ending.spent
    assert call.ending.spent.tokens > 1_000
    assert call.server.left()


@sweep
def test_a_client_that_is_stopped_in_a_tool_ends_with_it(client: Driven) -> None:
    call = client.call([shell(client, BUSY), Turn("Late.")], stop=in_tool(client, lambda: True))

    assert call.ending.outcome is AgentOutcome.INTERRUPTED, call.ending
    assert marked(RUN) == ()


@sweep
def test_time_ends_a_client_in_a_tool(client: Driven) -> None:
    call = client.call([shell(client, BUSY)], limits=replace(LIMITS, seconds=8))

    assert call.ending.outcome is AgentOutcome.LIMIT_TIME, call.ending
    assert marked(RUN) == ()


@sweep
def test_a_session_that_was_killed_in_a_tool_is_resumed(client: Driven) -> None:
    def kill() -> bool:
        for pid in marked(RUN):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return False

    first = client.call([shell(client, BUSY)], stop=in_tool(client, kill))
    second = client.call([Turn("All done.")], resume="Continue.", before=first.ending.usage or AgentUsage())

    assert (first.ending.outcome, first.ending.exit_code) == (AgentOutcome.CRASHED, -9)
    assert (second.ending.outcome, second.ending.message) == (AgentOutcome.DONE, "All done.")
    assert second.ending.session == first.ending.session
    assert second.server.asked()[0].holds("Do it.")
    assert marked(RUN) == ()


@sweep
def test_tools_of_claude_do_not_outlive_it_when_it_is_killed(claude: Path, desk: Desk) -> None:
    client = driven(claude, desk)
    ignoring = f"trap '' TERM; {BUSY}"

    call = client.call(
        [calls("Bash", command=ignoring, description="wait")],
        limits=replace(LIMITS, grace_s=0),
        stop=in_tool(client, lambda: True),
    )

    assert call.ending.outcome is AgentOutcome.INTERRUPTED
    assert marked(RUN) == ()


@sweep
def test_a_session_that_does_not_exist_is_to_be_begun_again(client: Driven) -> None:
    client.session = "0b0f4b9e-6c1f-4d9c-9d0e-000000000000"

    call = client.call([], resume="Continue.")

    assert (call.ending.outcome, call.ending.no_session) == (AgentOutcome.CRASHED, True), call.ending
    assert client.call([Turn("Hello.")]).ending.outcome is AgentOutcome.DONE


@sweep
def test_all_tools_denied_is_done_by_its_word_and_they_are_listed(claude: Path, desk: Desk) -> None:
    call = driven(claude, desk).call([calls("Write", file_path="src/x.py", content="1"), Turn("Done.")])

    assert (call.ending.outcome, call.ending.exit_code, call.ending.denied) == (AgentOutcome.DONE, 0, ("Write",))


@sweep
def test_prose_instead_of_a_form_is_no_answer(client: Driven) -> None:
    call = client.call([Turn("It is fine.")] * 3, schema=FORM, tools=READING)

    assert (call.ending.outcome, call.ending.exit_code) == (AgentOutcome.SCHEMA, 0), call.ending


@sweep
def test_an_answer_in_its_form_is_read(client: Driven) -> None:
    form = Turn('{"verdict": "pass"}')
    turn = calls("StructuredOutput", verdict="pass") if client.client.name == "claude" else form

    call = client.call([turn], schema=FORM, tools=READING)

    assert call.ending.outcome is AgentOutcome.DONE, call.ending
    assert call.ending.structured.replace(" ", "") == '{"verdict":"pass"}'


@sweep
def test_a_role_that_reads_can_write_nowhere(client: Driven) -> None:
    name = client.client.name
    turn = calls("Write", file_path="b.txt", content="x") if name == "claude" else shell(client, "echo x > b.txt")

    call = client.call([turn, Turn("Done.")], tools=READING)

    assert call.ending.outcome is AgentOutcome.DONE
    assert not (client.desk.folder / "b.txt").exists()
