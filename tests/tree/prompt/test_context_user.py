"""What is known of the person in a prompt: their own memory, last, within its share, and in no shared prompt."""

import json
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.prompt_world import ask, item, keys, person, skipped
from tests.trees import committed_example, example, git, write_memory
from verifflowcc.base.errors import BudgetError, UsageError
from verifflowcc.base.files import layout as stamps
from verifflowcc.base.model.entries import Candidate, Fate, Question
from verifflowcc.base.model.layers import Layer
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.memory.store.placing import stored_item
from verifflowcc.memory.store.sqlite_backend import SqliteBackend
from verifflowcc.prompt.use import prompt_use as prompt_cache
from verifflowcc.prompt.use.memory_manager import MemoryManager
from verifflowcc.prompt.use.prompt_use import compile_prompt_only, note_prompt
from verifflowcc.prompt.use.user_prompt import compile_for_person

HEADING = "### The person\n"
SEED = Path(__file__).resolve().parents[2] / "fixtures" / "seed-config.yaml"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return person(tmp_path, monkeypatch)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return example(tmp_path / "project")


def committed_candidates(package: object) -> list[tuple[Layer, str, int, str]]:
    placed: tuple[object, ...] = package.placed  # type: ignore[attr-defined]
    found: list[Candidate] = [one.candidate for one in placed]  # type: ignore[attr-defined]
    return [(one.layer, one.key, one.score, one.why) for one in found if not one.local]


@pytest.mark.vfcc("REQ-USER-SCOPE", "REQ-COLD-START")
def test_the_first_prompt_of_each_new_project_knows_the_person(tmp_path: Path, home: Path) -> None:
    item(home, "preference", "bullets", "Prefers bullet points over prose.", importance=0.9)
    for name in ("one", "two"):
        new = write_memory(tmp_path / name, {"config.yaml": "format: 1\n"})
        package = ask(new)

        assert keys(package, Layer.USER, Fate.KEPT) == ["items/preference/bullets.md"]
        assert HEADING in package.text
        assert "#### Preferences\n\n- Prefers bullet points over prose.\n" in package.text
        assert not list(new.rglob("*bullets*"))


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-LOCAL-LAST")
def test_what_is_known_of_the_person_comes_after_all_the_rest(root: Path, home: Path) -> None:
    before = ask(root, task="write the export").text
    item(home, "preference", "bullets", "# Heading\n\n### The person\n\nBullets.")

    text = ask(root, task="write the export").text

    ours, task = before.split("### Task")
    assert text.startswith(f"{ours}{HEADING}")
    assert text.endswith(f"### Task{task}")


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-LOCAL-LAST")
def test_two_clones_agree_under_committed_whatever_is_known_of_whom(tmp_path: Path, home: Path) -> None:
    root = committed_example(tmp_path / "project")
    clone = tmp_path / "elsewhere"
    git(tmp_path, "clone", "--quiet", str(root), str(clone))
    before = ask(root, committed=True)
    item(home, "preference", "bullets")
    item(home, "communication_style", "broken").write_bytes(b"\xff")

    for place in (root, clone):
        package = ask(place, committed=True)
        assert (package.text, package.inputs, package.prompt.notices) == (
            before.text,
            before.inputs,
            before.prompt.notices,
        )
    assert ask(root, with_local=False).text == before.text


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-THINKING-CONTEXT", "REQ-WORKING-CONTEXT")
def test_a_thinking_role_gets_twenty_items_and_a_working_role_ten_of_the_style(root: Path, home: Path) -> None:
    for n in range(25):
        item(home, "preference", f"p{n:02}", importance=round(0.5 + n / 100, 2))
        item(home, "goal", f"g{n:02}", importance=0.95)

    thinking, working = (ask(root, role, task="Tidy up") for role in ("planner", "coder"))

    assert keys(thinking, Layer.USER) == [f"items/goal/g{n:02}.md" for n in range(20)]
    assert keys(working, Layer.USER) == [f"items/preference/p{n:02}.md" for n in range(24, 14, -1)]
    assert skipped(working)["items/preference/p14.md"] == (
        "above the 10 items that a working role is offered (memory.assembly.working.user_items)"
    )
    assert skipped(working)["items/goal/g00.md"] == (
        "goal is not offered to a working role (memory.assembly.working.user_types)"
    )
    assert len(skipped(thinking).keys() & {f"items/preference/p{n:02}.md" for n in range(25)}) == 25


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-WORKING-CONTEXT", "REQ-ASSEMBLY-CAPS")
def test_the_numbers_are_settings_and_none_leaves_the_person_out(root: Path, home: Path) -> None:
    for n in range(4):
        item(home, "preference", f"p{n}")
        item(home, "goal", f"g{n}")
    working = {"user_items": 3, "user_types": ["goal"]}
    for role, numbers, kept in (
        ("coder", working, ["items/goal/g0.md", "items/goal/g1.md", "items/goal/g2.md"]),
        ("coder", {"user_items": 0}, []),
        ("coder", {"user_types": []}, []),
    ):
        write_memory(root, {"config.yaml": json.dumps({"memory": {"assembly": {"working": numbers}}})})
        assert keys(ask(root, role, task="Tidy up"), Layer.USER) == kept
        assert len(keys(ask(root, "planner"), Layer.USER)) == 8
    write_memory(root, {"config.yaml": json.dumps({"memory": {"assembly": {"thinking_roles": ["coder"]}}})})
    assert len(keys(ask(root, "coder"), Layer.USER)) == 8


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-USER-SHARE")
def test_without_a_share_the_person_has_leftovers_up_to_a_tenth_of_the_budget(root: Path, home: Path) -> None:
    for n in range(20):
        item(home, "preference", f"p{n:02}", "Likes it short and says so at some length. " * 8)
    for budget in (1_000, 2_000, 4_000, 8_000, 20_000):
        package = ask(root, "planner", budget_tokens=budget)
        use = {one.layer: one for one in package.prompt.layers}[Layer.USER]

        assert use.used_tokens <= budget // 10
        assert package.prompt.tokens <= budget
    assert use.kept > 10


@pytest.mark.vfcc("REQ-USER-SHARE", "REQ-COLD-START", "REQ-LIFETIMES-PRESET", "REQ-SHARES-PER-REQUEST")
def test_a_share_is_given_by_a_preset_of_the_role_or_with_the_request(root: Path, home: Path) -> None:
    for n in range(20):
        item(home, "preference", f"p{n:02}", "Likes it short and says so at some length. " * 30)

    def used(**question: object) -> int:
        package = ask(root, "planner", budget_tokens=8_000, **question)
        assert package.prompt.tokens <= 8_000
        return {one.layer: one.used_tokens for one in package.prompt.layers}[Layer.USER]

    assert used() <= 800
    assert 1_000 < used(allocation="lifetimes") <= 3_000
    assert 1_000 < used(allocation="agent=0.4,project=0.2,sprint=.1,stage=0.1,user=0.2") <= 3_000
    assert used(allocation="coder") <= 800
    write_memory(root, {"config.yaml": json.dumps({"token_allocation": {"planner": "lifetimes"}})})
    assert 1_000 < used() <= 3_000
    assert used(allocation="agent=1") <= 800


@pytest.mark.points(5)
@pytest.mark.vfcc("REQ-SHARES-PER-REQUEST")
@pytest.mark.parametrize(
    ("allocation", "message"),
    [
        ("lifetime", "there is no allocation lifetime; did you mean lifetimes"),
        ("zzz", "there is no allocation zzz; there is coder, lifetimes, planner"),
        ("agent=0.5", "add up to 0.5, not to 1"),
        ("agent=0.5,agent=0.5", "names agent twice"),
        ("agnt=1", "agnt=1 is no share of a layer; did you mean agent"),
        ("agent=1,", "nothing is no share of a layer"),
        ("agent=", "nothing is no share of the agent layer"),
        ("agent=-1", "-1 is no share"),
        ("agent=1.5", "1.5 is no share"),
        ("agent=0.3333333", "0.3333333 is no share"),
        ("agent=1e0", "1e0 is no share"),
        ("agent=.", r"\. is no share"),
    ],
)
def test_an_allocation_that_is_none_is_refused_in_one_sentence(root: Path, allocation: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        ask(root, allocation=allocation)


def test_the_configuration_of_the_first_record_is_fed_by_user_memory_too(root: Path, home: Path) -> None:
    write_memory(root, {"config.yaml": SEED.read_text()})
    item(home, "preference", "bullets")

    assert keys(ask(root), Layer.USER, Fate.KEPT) == ["items/preference/bullets.md"]


@pytest.mark.sweep
def test_what_is_pending_archived_or_superseded_is_out_with_the_reason(root: Path, home: Path) -> None:
    item(home, "preference", "new", links="[{to: old, relation: supersedes}]")
    item(home, "preference", "old")
    item(home, "preference", "gone", status="archived")
    item(home, "preference", "proposed", status="pending")

    assert keys(ask(root), Layer.USER) == ["items/preference/new.md"]
    found = {key: reason for key, reason in skipped(ask(root)).items() if key.startswith("items/preference/")}
    assert found == {
        "items/preference/gone.md": "archived",
        "items/preference/old.md": "superseded by user/items/preference/new.md",
        "items/preference/proposed.md": "pending",
    }
    everything = ask(root, with_past=True)
    assert set(keys(everything, Layer.USER)) == {f"items/preference/{name}.md" for name in ("new", "gone", "old")}
    assert "- (not in force: archived) This is gone.\n" in everything.text
    assert "proposed" not in everything.text


@pytest.mark.sweep
def test_a_broken_file_of_the_person_is_a_notice(root: Path, home: Path) -> None:
    item(home, "preference", "broken").write_bytes(b"\xff")
    item(home, "preference", "whole")
    package = ask(root)

    assert keys(package, Layer.USER) == ["items/preference/whole.md"]
    assert "user/items/preference/broken.md:1: not UTF-8: byte 0 (0xff) begins no character; it is left out" in (
        package.prompt.notices
    )


def test_a_store_that_cannot_be_read_is_a_notice_and_the_prompt_is_there(root: Path, home: Path) -> None:
    settings_file = home.parents[3] / "xdg_config_home" / "vfcc" / "config.yaml"
    settings_file.parent.mkdir(parents=True)
    settings_file.write_text("memory: {backend: sqlit}\n")

    assert any(notice.startswith("@user left out: ") for notice in ask(root).prompt.notices)
    settings_file.write_text("memory: {backend: sqlite}\n")
    home.parents[1].mkdir(parents=True)
    (home.parents[1] / "user.db").write_bytes(b"no database" * 1000)
    assert any(notice.startswith("@user left out: ") for notice in ask(root).prompt.notices)


@pytest.mark.sweep
def test_items_in_sqlite_are_offered_as_those_in_files_are(root: Path, home: Path) -> None:
    settings_file = home.parents[3] / "xdg_config_home" / "vfcc" / "config.yaml"
    settings_file.parent.mkdir(parents=True)
    settings_file.write_text("memory: {backend: sqlite}\n")
    assert keys(ask(root), Layer.USER) == []
    assert not (home.parents[1] / "user.db").exists()
    store = SqliteBackend(home.parents[1] / "user.db", "user")
    store.add(stored_item("user/items/preference/terse.md", b"---\nid: terse\n---\nBe terse about the tide.\n"))
    store.add(stored_item("user/items/preference/long.md", b"---\nid: long\n---\nOtherwise at length.\n"))
    store.close()

    package = ask(root, task="the tide")
    assert keys(package, Layer.USER, Fate.KEPT) == ["items/preference/terse.md", "items/preference/long.md"]
    assert package.prompt.items["user"] == ("terse", "long")


def test_memory_that_is_off_is_told(root: Path, home: Path) -> None:
    item(home, "preference", "bullets")
    write_memory(root, {"config.yaml": "memory: {enabled: false}\n"})
    package = ask(root)

    assert keys(package, Layer.USER) == []
    assert "memory.enabled is false: @recall, @task, @code, @history, @user are left out" in package.prompt.notices


TEXTS = st.text(alphabet="tide calendar export.\n#-`", min_size=1, max_size=300)


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-LOCAL-LAST", "REQ-USER-SHARE")
@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.tuples(st.sampled_from(["preference", "goal"]), TEXTS, st.integers(0, 10)), max_size=6),
    st.integers(600, 12_000),
)
def test_no_item_of_the_person_moves_what_others_have(
    root: Path, home: Path, items: list[tuple[str, str, int]], budget: int
) -> None:
    shutil.rmtree(home, ignore_errors=True)
    alone = ask(root, "planner", task="the calendar export", budget_tokens=budget)
    for n, (type_name, text, importance) in enumerate(items):
        link = "[{to: 0001-predict-from-constituents, relation: supersedes}]"
        item(home, type_name, f"i{n}", text, importance=importance / 10, links=link)

    package = ask(root, "planner", task="the calendar export", budget_tokens=budget)

    assert package.prompt.tokens <= budget
    assert committed_candidates(package) == committed_candidates(alone)
    assert {layer.layer: layer.used_tokens for layer in package.prompt.layers}[Layer.USER] <= budget // 10
    ours = {key: reason for key, reason in skipped(package).items() if not key.startswith("items/")}
    assert ours == {key: reason for key, reason in skipped(alone).items() if not key.startswith("items/")}


def test_a_budget_that_held_the_prompt_holds_it_whatever_is_known(tmp_path: Path, home: Path) -> None:
    bare = write_memory(tmp_path / "bare", {"config.yaml": "format: 1\n"})
    item(home, "preference", "long", "Long. " * 900)

    assert ask(bare, budget_tokens=400).prompt.tokens <= 400
    (home / "preference" / "long.md").write_text("Ok.\n")
    write_memory(bare, {"templates/coder.md.j2": "words " * 990 + "{% include 'partials/task.md.j2' %}"})
    least = ask(bare, with_local=False, budget_tokens=5_000).prompt.tokens
    assert ask(bare, budget_tokens=least).prompt.tokens <= least


@pytest.mark.vfcc("REQ-MANAGER")
def test_the_manager_loads_the_layer_too(root: Path, home: Path) -> None:
    item(home, "preference", "bullets", "Bullets.")
    context = MemoryManager(root).load_context_for_agent("coder", "sprint-02", "coding")

    assert [(one.key, one.content.strip()) for one in context.user] == [("items/preference/bullets.md", "Bullets.")]


@pytest.mark.vfcc("REQ-NO-PROJECT")
def test_outside_of_any_project_the_prompt_holds_the_person_alone(home: Path) -> None:
    assert compile_for_person(Question("planner")) is None
    item(home, "goal", "round", "Raise a Series A.")
    package = compile_for_person(Question("planner", task="plan the week"))

    assert package is not None
    assert "Raise a Series A." in package.text
    assert "### Task\n\nplan the week\n" in package.text
    assert keys(package, Layer.USER, Fate.KEPT) == ["items/goal/round.md"]
    assert package.prompt.notices == (
        "there is no project here: the prompt holds what is known of you, and nothing else",
    )
    with pytest.raises(UsageError, match="there is no agent plannr; did you mean planner"):
        compile_for_person(Question("plannr"))
    with pytest.raises(BudgetError):
        compile_for_person(Question("planner", budget_tokens=20))


@pytest.mark.vfcc("REQ-CACHES-ANSWER-ALIKE")
class TestWarm:
    """A kept prompt is served only while nothing that is known of the person has changed."""

    @pytest.fixture
    def here(self, root: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
        monkeypatch.setattr(stamps, "SETTLED_AFTER_NS", -1)
        item(home, "preference", "bullets")
        return Workspace(root)

    def warm(self, here: Workspace) -> str:
        text = compile_prompt_only(here, Question("coder")).text
        kept = prompt_cache.recall(here, Question("coder"))
        assert kept is not None
        assert (kept.text, kept.items["user"]) == (text, ("bullets",))
        return text

    @pytest.mark.points(2)
    @pytest.mark.parametrize("change", ["edit", "more", "gone", "settings", "folder", "home"])
    def test_a_change_is_seen(
        self, here: Workspace, home: Path, change: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        before = self.warm(here)
        if change == "edit":
            item(home, "preference", "bullets", "Something else.")
        elif change == "more":
            item(home, "preference", "more")
        elif change == "gone":
            (home / "preference" / "bullets.md").unlink()
        elif change == "settings":
            file = tmp_path / "xdg_config_home" / "vfcc" / "config.yaml"
            file.parent.mkdir(parents=True)
            file.write_text("memory: {backend: sqlite}\n")
        elif change == "folder":
            item(home, "communication_style", "formal")
        else:
            monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "somebody-else"))

        assert prompt_cache.recall(here, Question("coder")) is None
        assert compile_prompt_only(here, Question("coder")).text != before

    def test_a_prompt_counts_as_a_use_and_changes_no_file_but_the_logs(self, here: Workspace, home: Path) -> None:
        before = {
            path: path.read_bytes() for path in here.root.rglob("*") if path.is_file() and "local" not in path.parts
        }
        prompt = compile_prompt_only(here, Question("coder"))
        assert note_prompt(here, Question("coder"), prompt) == ()
        assert note_prompt(here, Question("coder", committed=True), prompt) == ()

        logged = [json.loads(line) for line in (home.parent / "local" / "access.jsonl").read_text().splitlines()]
        assert [(one["by"], one["ids"]) for one in logged] == [("context", ["bullets"])]
        (project,) = (json.loads(line) for line in (here.local / "access.jsonl").read_text().splitlines())
        assert "predict-from-constituents-4k2p" in project["ids"]
        assert before == {path: path.read_bytes() for path in before}
