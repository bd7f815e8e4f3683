"""`vfcc init` at a terminal: four questions at most, answered before anything is written."""

from pathlib import Path

import pytest

from tests.cli.at_terminal import typed
from tests.cli.process import Ran, git, vfcc
from tests.cli.trees import everything

pytestmark = pytest.mark.vfcc("REQ-MEMORY-TREE")

PYTEST = "python -m pytest --junitxml=.memory/local/reports/test.junit.xml"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A repository with a test, instructions for Claude Code, and a hook that git runs at a commit."""
    root = tmp_path / "shop"
    (root / "tests").mkdir(parents=True)
    (root / "tests" / "test_shop.py").write_text("def test_price(): assert True\n", encoding="utf-8")
    (root / "CLAUDE.md").write_text("# Shop\n", encoding="utf-8")
    git(root, "init", "-q")
    return root


def questions(ran: Ran) -> list[str]:
    """The numbers of the questions that were asked, each once."""
    return list(dict.fromkeys(word for word in ran.err.split() if word[1:] in {"/3", "/4"}))


def test_enter_takes_each_default_and_writes_what_a_pipe_writes(shop: Path, tmp_path: Path) -> None:
    (shop / "CLAUDE.md").unlink()
    piped = tmp_path / "piped"
    (piped / "tests").mkdir(parents=True)
    (piped / "tests" / "test_shop.py").write_text("", encoding="utf-8")
    assert vfcc(piped, "init").code == 0

    asked = typed(shop, "init", keys="\n" * 4)

    assert asked.code == 0
    assert questions(asked) == ["1/4", "2/4", "3/4", "4/4"]
    assert asked.out.splitlines()[-1] == 'next: vfcc sprint start "Title" --goal "What it must achieve"'
    assert asked.out.count("next:") == 1
    assert everything(shop / ".memory") == everything(piped / ".memory")
    assert vfcc(shop, "allow", "--check").code == 1
    assert not (shop / ".claude").exists()


def test_four_answers_lead_to_the_first_prompt(shop: Path) -> None:
    asked = typed(shop, "init", keys="\ny\n\nPrices in cents\n")

    assert f"2/4 1 command in {shop}\n  test: {PYTEST}\n    at most 600 s; writes" in asked.err
    assert "3/4 Hooks for claude (writes .claude/settings.json)?" in asked.err
    assert asked.out.splitlines()[-1] == "next: vfcc context show"
    assert vfcc(shop, "allow", "--check").code == 0
    assert (shop / ".claude" / "settings.json").is_file()
    prompt = vfcc(shop, "context", "show")
    assert prompt.code == 0
    assert prompt.out == vfcc(shop, "context", "show", "--agent", "planner").out
    assert "Goal: Prices in cents" in prompt.out
    assert "tests/test_shop.py" in prompt.out


@pytest.mark.vfcc("REQ-COMMANDS")
def test_a_typed_command_is_shown_as_it_would_run_and_only_a_yes_allows_it(shop: Path) -> None:
    hook = shop / ".git" / "hooks" / "pre-commit"
    hook.write_text("#!/bin/sh\necho hooked\n", encoding="utf-8")
    hook.chmod(0o755)
    own = "python -m pytest -k '{a} or b'"

    asked = typed(shop, "init", "--workflow", "light", keys=f"'\n{own}\ny\nn\nn\n")

    assert questions(asked) == ["1/3", "2/3", "3/3"], "a workflow that the command names is no question"
    assert "not a command: ' (No closing quotation)" in asked.err
    assert "  test: python -m pytest -k '{a} or b' --junitxml=.memory/local/reports/test.junit.xml\n" in asked.err
    assert "git runs at a commit:\n  hook pre-commit: " in asked.err
    assert vfcc(shop, "allow", "--check").code == 0
    assert not (shop / ".claude").exists()
    assert "next: vfcc sprint start" in asked.out

    (shop / "other").mkdir()
    refused = typed(shop, "init", "other", keys=f"\n{own}\nn\nn\n\n")
    assert refused.code == 0
    assert vfcc(shop / "other", "allow", "--check").code == 1, "typing it is no permission"


def test_what_is_not_known_is_asked_again(shop: Path) -> None:
    asked = typed(shop, "init", keys="lite\n\nn\nclode\ny,codex\nclaude,codex\n\n")

    assert "there is no workflow lite; did you mean light?" in asked.err
    assert "no client is called clode; choose from claude, codex" in asked.err
    assert (shop / ".claude" / "settings.json").is_file()
    assert (shop / ".codex" / "hooks.json").is_file()


def test_a_doubtful_command_is_written_as_a_comment_unless_a_person_allows_it(tmp_path: Path) -> None:
    for name, answer in (("yes", "y"), ("no", "")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "go.mod").write_text("module shop\n", encoding="utf-8")
        asked = typed(tmp_path / name, "init", keys=f"\n{answer}\n\n\n")
        assert "2/4 go test writes no JUnit report; with gotestsum installed:\n1 command in" in asked.err

    assert (
        "gotestsum --junitfile=.memory/local/reports/test.junit.xml ./..."
        in vfcc(tmp_path / "yes", "allow", "--check").out
    )
    vfcc(tmp_path / "no", "allow", "--check").refused(3, "no command is configured")


def test_leaving_in_the_middle_writes_nothing(shop: Path) -> None:
    before = everything(shop)

    left = typed(shop, "init", keys="\ny\n\x04")

    assert left.code != 0
    assert everything(shop) == before
    assert not (shop.parent / ".local").exists()


@pytest.mark.parametrize(
    ("options", "env"),
    [(("--yes",), {}), (("--json",), {}), (("--worked-example",), {}), ((), {"CLAUDECODE": "1"}), ((), {"CI": "true"})],
)
def test_only_a_person_who_did_not_decline_is_asked(shop: Path, options: tuple[str, ...], env: dict[str, str]) -> None:
    done = typed(shop, "init", *options, env=env)

    assert done.code == 0
    assert questions(done) == []
    assert (shop / ".memory" / "config.yaml").is_file()
