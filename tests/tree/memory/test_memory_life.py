"""The life of items: they fade, become summaries and come back byte for byte; a dry run tells the same as the run."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.life_world import CODER, Days, bring_back, cache, found, items, keep_up, project, put, texts
from verifflowcc.base.errors import FormatError, NotAllowed, UsageError
from verifflowcc.base.model.item_values import Status
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.cli.use.memory_checking import check_memory
from verifflowcc.memory.rules.consolidate import is_consolidation
from verifflowcc.memory.store.access_log import LastConsolidation, note_consolidated, read_consolidated
from verifflowcc.memory.use.access_counts import note_uses
from verifflowcc.memory.use.consolidating import StepKind
from verifflowcc.memory.use.forgetting import forget_item
from verifflowcc.memory.use.item_search import find_item

BACKENDS = ("files", "sqlite")
AGENT = "{{kind: extracted, actor: agent:coder}}"
PROMOTED = "{{promoted_by: 'human:You', promoted_on: 2026-11-01}}"
ODD = (
    f"---\nid: {{id}}\ntype: fact\n{{status}}source: {AGENT}\ndetails: {PROMOTED}\nmine:  [1,  2] # kept\n---\n{{text}}"
)
STATUSES = (
    "",
    "status: active\n",
    "status:   active   # ours\n",
    'status: "active"\n',
    "status: 'active' \n",
)
TEXTS = (
    "\nThe parser cache is cold at start.\n",
    "The parser cache is cold at the start, and slow",
    "\n\n\nAt start the parser cache is cold.\r\nAnd slow.\n\n",
    "A cold parser cache makes the start slow, says the log.\n",
    "The parser cache is cold at the start of a run.  \n",
)


@pytest.fixture(params=BACKENDS)
def here(request: pytest.FixtureRequest, tmp_path: Path) -> Workspace:
    return project(tmp_path, str(request.param))


@pytest.fixture
def plain(tmp_path: Path) -> Workspace:
    return project(tmp_path)


def days(here: Workspace, number: int) -> None:
    assert isinstance(here.clock, Days)
    here.clock.pass_by(number)


def summaries(here: Workspace) -> list[str]:
    return [item_id for item_id, each in items(here).items() if is_consolidation(each.item)]


@pytest.mark.vfcc("REQ-CONSOLIDATE")
def test_a_dense_cluster_becomes_a_summary_and_its_items_are_archived(here: Workspace) -> None:
    put(here, *cache(), found("other", "Tokens expire after an hour"))
    before = texts(here)

    (step,) = keep_up(here)

    (summary,) = summaries(here)
    assert (step.kind, step.item) == (StepKind.CONSOLIDATED, summary)
    assert step.why == "4 items on cache, cold, parser say much the same: c1, c2, c3, c4"
    after = items(here)
    assert [link.to for link in after[summary].item.links] == ["c1", "c2", "c3", "c4"]
    assert [after[name].item.status for name in ("c1", "c2", "c3", "c4", "other")] == [
        *[Status.ARCHIVED] * 4,
        Status.ACTIVE,
    ]
    assert after["c1"].text == before["c1"].replace(
        "created: 2026-11-01\n",
        f"created: 2026-11-01\nstatus: archived\narchived: {{on: 2026-11-21, why: consolidated, into: {summary}}}\n",
    )
    assert after["other"].text == before["other"]
    assert "doing" not in after[summary].text
    assert keep_up(here) == ()


@pytest.mark.vfcc("REQ-RESTORE")
def test_what_was_consolidated_comes_back_as_it_was(here: Workspace) -> None:
    put(here, *cache(more="status: active  # as it is\n"), found("other", "Tokens expire after an hour"))
    before = texts(here)
    keep_up(here)
    (summary,) = summaries(here)

    would = bring_back(here, summary, dry=True)
    assert len(texts(here)) == 6
    done = bring_back(here, summary)

    assert texts(here) == before
    assert (done.summary, [each.id for each in done.items]) == (summary, ["c1", "c2", "c3", "c4"])
    assert (would.items, would.summary) == (done.items, done.summary)
    assert {(each.archived, each.why, each.status) for each in done.items} == {
        ("2026-11-21", "a summary contains it", "active")
    }
    days(here, 100)
    assert keep_up(here) == (), "what a person took out of a summary goes into none again"


@pytest.mark.sweep
@given(
    statuses=st.lists(st.sampled_from(STATUSES), min_size=5, max_size=5),
    order=st.permutations(TEXTS),
    newline=st.sampled_from(["\n", "\r\n"]),
    bom=st.sampled_from(["", "\ufeff"]),
    backend=st.sampled_from(BACKENDS),
)
@settings(deadline=None, max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@pytest.mark.vfcc("REQ-RESTORE")
def test_restore_after_consolidate_is_the_identity_on_all_bytes(
    tmp_path_factory: pytest.TempPathFactory,
    statuses: list[str],
    order: list[str],
    newline: str,
    bom: str,
    backend: str,
) -> None:
    here = project(tmp_path_factory.mktemp("identity"), backend)
    written = [
        bom + ODD.format(id=f"i{place}", status=status, text=text).replace("\r\n", "\n").replace("\n", newline)
        for place, (status, text) in enumerate(zip(statuses, order, strict=True))
    ]
    put(here, *written, "---\nid: mine\ntype: fact\n---\nThe parser cache is cold at start.\n")
    before = texts(here)

    steps = keep_up(here)
    made = summaries(here)
    assert len(made) == 1, steps
    assert texts(here)["mine"] == before["mine"]
    for summary in made:
        bring_back(here, summary)

    assert texts(here) == before


@given(data=st.data(), backend=st.sampled_from(BACKENDS))
@settings(deadline=None, max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@pytest.mark.vfcc("REQ-MAINTAIN")
def test_maintaining_twice_is_as_once_and_a_dry_run_tells_the_same(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, backend: str
) -> None:
    here = project(tmp_path_factory.mktemp("twice"), backend, "  max_items: 6\n")
    words = st.lists(st.sampled_from(["parser", "cache", "cold", "start", "slow"]), min_size=2, max_size=4)
    for place in range(data.draw(st.integers(1, 14))):
        kind = data.draw(st.sampled_from(["fact", "insight", "fix", "question", "task_state"]))
        made = data.draw(st.sampled_from(["2025-10-01", "2026-01-10", "2026-11-01", "2026-11-21"]))
        weight = data.draw(st.sampled_from(["", "importance: 0.2\n", "importance: 0.05\n", "expires: 2026-11-20\n"]))
        put(here, found(f"i{place:02}", " ".join(data.draw(words)), kind, created=made, more=weight))
    used = data.draw(st.lists(st.integers(0, 14), max_size=4))
    note_uses(here, {"project": [f"i{place:02}" for place in used]}, "show")
    before = texts(here)

    would = keep_up(here, dry=True)
    assert texts(here) == before
    steps = keep_up(here)
    after = texts(here)

    assert steps == would
    assert keep_up(here) == ()
    assert texts(here) == after
    assert check_memory(here).report.counts, "and all of it can still be read"


def test_the_order_of_the_steps_is_that_of_the_list(plain: Workspace) -> None:
    put(
        plain,
        *cache(),
        found("ended", "It was so", created="2025-01-01"),
        found("faded", "It is hardly so", created="2026-03-01", more="importance: 0.2\n"),
    )
    note_uses(plain, {"project": ["c1"]}, "show")

    assert [step.kind for step in keep_up(plain)] == [
        StepKind.USES,
        StepKind.ENDED,
        StepKind.DECAYED,
        StepKind.CONSOLIDATED,
    ]


@pytest.mark.vfcc("REQ-DECAY")
def test_of_two_items_the_used_one_stays(here: Workspace) -> None:
    for name in ("used", "unused"):
        put(here, found(name, f"{name} as it is", created="2026-02-01", more="importance: 0.3\n"))
    note_uses(here, {"project": ["used"]}, "context")

    steps = keep_up(here)

    assert [(step.kind, step.item) for step in steps] == [(StepKind.USES, "used"), (StepKind.DECAYED, "unused")]
    assert steps[1].why == "it counts for 104 of 1000, below 150: made 293 days ago, no uses"
    assert items(here)["unused"].text.endswith(
        "status: archived\narchived: {on: 2026-11-21, why: decayed}\n---\n\nunused as it is.\n"
    )
    bring_back(here, "unused")
    note_uses(here, {"project": ["unused"]}, "restore")
    assert [step.kind for step in keep_up(here)] == [StepKind.USES], "restoring counts as a use"


@pytest.mark.vfcc("REQ-TTL", "REQ-SETTING-TTL")
def test_the_settings_go_before_the_table_of_times(tmp_path: Path) -> None:
    ttl = "  lifecycle: {type_ttl_days: {fact: 10, fix: 30}}\n"
    here = project(tmp_path, memory=ttl)
    put(here, found("fact", "A fact"), found("fix", "A fix", "fix"), found("idea", "An idea", "insight"))

    (step,) = keep_up(here)

    assert (step.item, step.why) == (
        "fact",
        "a fact holds for 10 days (memory.lifecycle.type_ttl_days), and this one was made on 2026-11-01",
    )
    days(here, 11)
    assert [step.item for step in keep_up(here)] == ["fix"]
    assert "expired" not in {finding.code for finding in check_memory(here).report.findings}


@pytest.mark.vfcc("REQ-SETTING-CONSOLIDATION")
def test_consolidation_has_its_own_switch_and_interval(tmp_path: Path) -> None:
    off = project(tmp_path / "off", memory="  consolidation: {enabled: false}\n")
    put(off, *cache())
    assert keep_up(off) == ()

    here = project(tmp_path, memory="  consolidation: {interval: 30d}\n")
    put(here, *cache())
    assert [step.kind for step in keep_up(here)] == [StepKind.CONSOLIDATED]
    put(here, *cache("insight"))
    days(here, 29)
    assert keep_up(here) == ()
    (here.local / "consolidated.json").unlink()
    assert keep_up(here) == (), "the newest summary says when it was last done"
    days(here, 1)
    assert [step.kind for step in keep_up(here)] == [StepKind.CONSOLIDATED]


@pytest.mark.vfcc("REQ-SETTING-CONSOLIDATION")
def test_where_nothing_is_set_items_are_summed_up_once_in_seven_days(plain: Workspace) -> None:
    put(plain, *cache())
    assert [step.kind for step in keep_up(plain)] == [StepKind.CONSOLIDATED]
    put(plain, *(each.replace("id: c", "id: d") for each in cache("insight")))
    days(plain, 6)
    assert keep_up(plain) == ()
    days(plain, 1)
    assert [step.kind for step in keep_up(plain)] == [StepKind.CONSOLIDATED]


@pytest.mark.vfcc("REQ-TTL", "REQ-EXPIRES")
def test_each_type_runs_out_the_day_after_its_time_is_over(here: Workspace) -> None:
    last = {"fact": "2025-11-21", "fix": "2026-05-25", "question": "2026-08-23", "preference": "2000-01-01"}
    put(here, *(found(name, name, name, created=day).replace("source: {kind: extracted, actor: agent:coder}\n", "")
                for name, day in last.items()))  # fmt: skip
    put(here, found("says", "So it says", "decision", more="expires: 2026-11-21\n"))
    put(here, found("state", "In the middle", "task_state", created="2026-11-07"), scope="project")
    assert keep_up(here) == (), "today is the last day of each"
    days(here, 1)

    assert {step.item for step in keep_up(here)} == {"fact", "fix", "question", "says"}
    assert {items(here)[name].item.status for name in ("fact", "fix", "question", "says")} == {Status.ARCHIVED}


def test_a_summary_whose_original_was_replaced_or_forgotten_is_undone(here: Workspace) -> None:
    put(here, *cache())
    before = texts(here)
    keep_up(here)
    put(here, found("new", "Nothing of that", more="links: [{to: c2, relation: supersedes}]\n"))

    (step,) = keep_up(here)

    assert (step.kind, step.why) == (StepKind.RESTORED, "c2, which it summarises, was replaced by new")
    assert {name: text for name, text in texts(here).items() if name != "new"} == before
    days(here, 8)
    assert keep_up(here) == (), "three are no cluster, and the fourth does not stand"


def test_what_was_forgotten_is_in_no_summary_any_more(plain: Workspace) -> None:
    put(plain, *cache())
    before = texts(plain)
    keep_up(plain)
    forget_item(plain, find_item(plain, "c3", ("project",)), actor="human:You")

    (step,) = keep_up(plain)

    assert (step.kind, step.why) == (StepKind.RESTORED, "c3, which it summarises, no longer exists")
    assert texts(plain) == {name: text for name, text in before.items() if name != "c3"}


@pytest.mark.parametrize("relation", ["contradicts", "supersedes"])
def test_what_is_contradicted_or_was_replaced_goes_into_no_summary(plain: Workspace, relation: str) -> None:
    put(plain, *cache(), found("other", "Nothing of that", more=f"links: [{{to: c1, relation: {relation}}}]\n"))

    assert keep_up(plain) == ()


def test_an_item_that_could_not_come_back_byte_for_byte_stays(plain: Workspace) -> None:
    odd = ("status: &s active\nodd: *s\n", "status:\n", "status: >-\n  active\n", "archived: mine\n")
    for place, (status, text) in enumerate(zip(odd, TEXTS, strict=False)):
        put(plain, ODD.format(id=f"i{place}", status=status, text=text))
    before = texts(plain)

    assert keep_up(plain) == ()
    assert texts(plain) == before


def test_a_key_of_somebodys_own_is_not_overwritten(plain: Workspace) -> None:
    put(plain, found("old", "It was so", created="2020-01-01", more="archived: by hand, in May\n"))

    keep_up(plain)

    text = texts(plain)["old"]
    assert "archived: by hand, in May\n" in text
    assert "status: archived\n" in text
    bring_back(plain, "old")
    assert "archived: by hand, in May\n" in texts(plain)["old"]
    assert items(plain)["old"].item.status is Status.ACTIVE


@pytest.mark.parametrize("why", ["ended", "decayed", "evicted"])
def test_whatever_was_archived_comes_back_and_says_why_it_was(tmp_path: Path, why: str) -> None:
    here = project(tmp_path, memory="  max_items: 1\n" if why == "evicted" else "")
    created = {"ended": "2025-01-01", "decayed": "2026-03-01"}.get(why, "2026-11-20")
    put(here, found("one", "It is so", created=created, more="importance: 0.2\nstatus: 'active'  # hm\n"))
    if why == "evicted":
        put(here, found("two", "Something else", more="importance: 0.9\n"))
    before = texts(here)
    assert [step.kind for step in keep_up(here)] == [StepKind(why)]

    done = bring_back(here, "one")

    assert texts(here) == before
    (back,) = done.items
    assert (back.archived, back.status) == ("2026-11-21", "active")
    assert (
        back.why
        == {
            "ended": "its time was over",
            "decayed": "it had not been used for long",
            "evicted": "there were too many items",
        }[why]
    )
    assert [note.startswith("one ended on 2026-01-01: the next") for note in done.notes] == [True] * (why == "ended")


def test_what_was_rejected_waits_again_and_nothing_rises_by_being_restored(plain: Workspace) -> None:
    put(plain, found("no", "Trust me", more="status: archived\ntags: [rejected]\ntrust: external\n"))

    done = bring_back(plain, "no")

    item = items(plain)["no"].item
    assert [each.why for each in done.items] == ["a person rejected it"]
    assert (item.status, str(item.trust)) == (Status.PENDING, "external")


def test_restoring_takes_a_person_and_something_to_restore(plain: Workspace) -> None:
    put(plain, *cache(), found("other", "Tokens expire"))
    keep_up(plain)
    (summary,) = summaries(plain)

    with pytest.raises(NotAllowed, match=r"restoring .* needs a person at a terminal"):
        bring_back(plain, summary, actor=CODER)
    with pytest.raises(UsageError, match="other is active; what is restored is archived"):
        bring_back(plain, "other")
    assert bring_back(plain, "c1", actor=CODER, dry=True).items[0].id == "c1"

    alone = bring_back(plain, "c1")
    assert alone.notes == (
        f"{summary} still contains it; to restore all items of the summary: vfcc memory restore {summary}",
    )
    assert keep_up(plain) == ()
    rest = bring_back(plain, summary)
    assert rest.notes == ("c1 is active, and stays so",)
    assert [each.id for each in rest.items] == ["c2", "c3", "c4"]


def test_a_key_that_another_item_has_by_now_is_not_given_twice(plain: Workspace) -> None:
    put(
        plain,
        found("old", "It was so", created="2020-01-01", more="key: thing\n"),
        found("new", "It is so", more="key: thing\n"),
    )
    keep_up(plain)

    with pytest.raises(UsageError, match="the key thing is that of new now"):
        bring_back(plain, "old")


def test_a_sprints_own_items_are_consolidated_in_its_scope(plain: Workspace) -> None:
    put(plain, *cache(), scope="sprint/s")

    (step,) = keep_up(plain)

    assert step.scope == "sprint/s"
    assert items(plain, "sprint/s")[step.item].item.path == f".memory/sprint/s/items/summary/{step.item}.md"


@pytest.mark.vfcc("REQ-SETTING-ENABLED")
def test_where_memory_is_off_nothing_of_the_project_changes(tmp_path: Path) -> None:
    here = project(tmp_path, memory="  enabled: false\n")
    put(here, *cache(), found("ended", "It was so", created="2020-01-01"))
    before = texts(here)

    (step,) = keep_up(here)

    assert step.why == "memory.enabled is false: nothing of the project is maintained"
    assert texts(here) == before


def test_the_check_of_a_memory_has_nothing_against_a_summary(plain: Workspace) -> None:
    put(plain, *cache())
    keep_up(plain)

    assert [finding.code for finding in check_memory(plain).report.findings] == []


def test_when_it_was_last_done_is_kept_and_what_is_no_such_file_is_told(tmp_path: Path) -> None:
    assert read_consolidated(tmp_path) == LastConsolidation()
    note_consolidated(tmp_path, "2026-11-21")
    assert read_consolidated(tmp_path) == LastConsolidation("2026-11-21")
    for junk in ("", "[]", '{"day": 1, "apart": []}', '{"day": null, "apart": [1]}', "\x00"):
        (tmp_path / "consolidated.json").write_text(junk)
        with pytest.raises(FormatError, match="does not say when"):
            read_consolidated(tmp_path)
