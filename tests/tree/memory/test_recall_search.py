"""What recall finds and what not: where it looks, what stands, links, the past, odd questions, files in play."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.life_world import put
from tests.recalled_world import answer, asked, found, home, keep, made, project, remember
from tests.secret_samples import PASSWORD, TOKEN
from tests.trees import write_memory
from verifflowcc.base.errors import UsageError
from verifflowcc.base.model.recall_values import RecallResult
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.gates.use.sprints import close_sprint, start_sprint
from verifflowcc.memory.use.scopes import scopes_recalled
from verifflowcc.memory.use.task_filling import start_task


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    home(tmp_path, monkeypatch)
    return project(tmp_path)


def ids(recalled: RecallResult) -> list[str]:
    return [hit.item.id for hit in recalled.hits]


@pytest.mark.vfcc("REQ-READ-LEXICAL")
@pytest.mark.parametrize(
    "text", ["", " ", "the of and", "?!…", "👩‍💻🎉", "\0", "\u202e\u200b", '"', "*", "()", "-", "^"]
)
def test_a_question_without_a_word_finds_nothing(here: Workspace, text: str) -> None:
    remember(here, "a", "The tide and the gate?! 👩‍💻")

    assert asked(here, text) == RecallResult(())


@pytest.mark.points(13)
@pytest.mark.vfcc("REQ-READ-LEXICAL")
@pytest.mark.parametrize(
    "text",
    [
        *('tide"', '"tide', "tide*", "NEAR(tide gate)", "tide AND nothing", "NOT tide", "title:tide", "{title}: tide"),
        *(
            "^tide",
            "tide + gate",
            "tide; DROP TABLE recall_1_items",
            "tide\0gate",
            "tide--",
            "'tide'",
            "(tide",
            "tide OR",
        ),
    ],
)
def test_what_full_text_search_has_for_signs_are_signs_like_any_other(here: Workspace, text: str) -> None:
    remember(here, "a", "The tide.")
    remember(here, "b", "Something else.")

    assert found(here, text) == ["a"]


@pytest.mark.vfcc("REQ-READ-LEXICAL")
def test_nothing_is_found_that_no_word_is_in_and_what_holds_one_is(here: Workspace) -> None:
    remember(here, "a", "The tide.", title="Water")
    remember(here, "b", "Something.", key="water/level")
    remember(here, "c", "Something.", tags="[water]")
    remember(here, "d", "We watered the garden.")
    remember(here, "e", "Fire.", importance="1.0", confidence="1.0")

    assert sorted(found(here, "the waters")) == ["a", "b", "c", "d"]
    assert all(score > 0 for _, _, score, _ in answer(here, "the waters"))
    assert found(here, "earth") == []


@pytest.mark.vfcc("REQ-READ-LEXICAL")
@pytest.mark.parametrize(
    "text", ["RateLimiter", "rate limiter", "rate_limiter", "src/rate_limiter.py", "rate-limiter", "RATE LIMITERS"]
)
def test_a_name_is_found_whole_and_by_its_parts(here: Workspace, text: str) -> None:
    for name, said in {
        "camel": "Ask the RateLimiter.",
        "snake": "Call rate_limiter first.",
        "kebab": "See rate-limiter.",
        "path": "It is in src/net/rate_limiter.py.",
    }.items():
        remember(here, name, said)
    remember(here, "other", "Ask the HTTPServer.")

    assert sorted(found(here, text)) == ["camel", "kebab", "path", "snake"]


@pytest.mark.vfcc("REQ-READ-LEXICAL")
def test_words_of_any_script_are_found(here: Workspace) -> None:
    remember(here, "cjk", "数据库 迁移")
    remember(here, "german", "Die Schleuse schließt.")
    remember(here, "accents", "Le cafe\u0301 est fermé.")

    assert found(here, "迁移") == ["cjk"]
    assert found(here, "SCHLIESST") == ["german"]
    assert found(here, "café") == ["accents"]


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-READ-LEXICAL")
def test_a_very_long_question_is_answered(here: Workspace) -> None:
    remember(here, "a", "The tide.")
    words = " ".join(f"w{number:05}x" for number in range(6_000))

    assert found(here, f"{words} tide") == ["a"]
    assert found(here, "x" * 100_000) == []


@pytest.mark.vfcc("REQ-READ-LEXICAL")
def test_of_a_long_document_the_right_section_is_named(here: Workspace) -> None:
    sections = {"Sluices": "sluice", "Pumps": "pump", "Locks": "lock"}
    remember(here, "long", "".join(f"# {name}\n\n{'filler ' * 200}{word}\n\n" for name, word in sections.items()))
    remember(here, "short", "# Sluices\n\nA sluice.")

    for name, word in sections.items():
        (hit,) = (each for each in asked(here, word).hits if each.item.id == "long")
        assert hit.heading == name
    assert [hit.heading for hit in asked(here, "sluice").hits if hit.item.id == "short"] == [""]


@pytest.mark.vfcc("REQ-READ-LEXICAL")
def test_a_turn_is_found_by_what_stands_beside_it(here: Workspace) -> None:
    texts = ["Hello.", "Did you mend the sluice?", "Yes, on Friday.", "Good.", "Fine.", "Bye."]
    for number, text in enumerate(texts):
        source = f"{{session: s1, origin: talk, turn: D1:{number}, speaker: Ann}}"
        remember(here, f"t{number}", text, source=source)
    remember(here, "alone", "Yes, on Friday.")
    hits = {hit.item.id: hit.matched for hit in asked(here, "sluice").hits}

    assert list(hits)[:2] == ["t2", "t1"] or list(hits)[:2] == ["t1", "t2"]
    assert set(hits) == {"t0", "t1", "t2", "t3"}
    assert (hits["t1"], hits["t2"]) == ({"sluice": ("body",)}, {"sluice": ("beside",)})


@pytest.mark.vfcc("REQ-READ-LEXICAL")
def test_in_talk_between_people_words_alike_are_found_and_elsewhere_not(here: Workspace) -> None:
    def turn(number: int, speaker: str, text: str) -> None:
        remember(here, f"t{number:02}", text, source=f"{{session: s{number}, turn: D:1, speaker: {speaker}}}")

    turn(1, "Ann", "My brother mends the sluice.")
    turn(2, "Ann", "My neighbour mends the sluice.")
    turn(3, "assistant", "Your brother mends the sluice.")
    remember(here, "fact", "Her brother mends the sluice.")
    for number in range(10, 70):
        turn(number, "Ann", "Nothing of interest.")
    hits = {hit.item.id: hit.matched for hit in asked(here, "Which sibling has a sluice?").hits}

    assert next(iter(hits)) == "t01"
    assert hits["t01"] == {"sluice": ("body",), "sibling": ("alike",)}
    assert {name: dict(matched) for name, matched in hits.items() if name != "t01"} == {
        name: {"sluice": ("body",)} for name in ("t02", "t03", "fact")
    }


@pytest.mark.vfcc("REQ-READ-SCOPE", "REQ-SCOPE-OVERRIDE")
def test_recall_looks_where_it_may_and_where_it_is_told_to(here: Workspace) -> None:
    start_sprint(here, "Past", workflow="light", actor="human:You")
    remember(here, "past", "tide", scope="sprint/past")
    close_sprint(here, "past", actor="human:You", unfinished_reason="enough")
    start_sprint(here, "Now", workflow="light", actor="human:You")
    task = start_task(here, "Mend", actor="human:You").id
    write_memory(here.root, {"agent/coder/prompt.md": "Write.\n", "agent/tester/prompt.md": "Test.\n"})
    for scope in ("project", "sprint/now", "stage/now/planning", "agent/coder", "agent/tester", f"task/{task}", "user"):
        remember(here, scope.replace("/", "-"), "tide", scope=scope)
    everyone = {"project", "sprint-now", "stage-now-planning", f"task-{task}", "user"}

    assert set(found(here, "tide", *scopes_recalled(here))) == everyone
    assert set(found(here, "tide", *scopes_recalled(here, agent="coder"))) == {*everyone, "agent-coder"}
    assert found(here, "tide", "sprint/past") == ["past"]
    assert found(here, "tide", "agent/tester") == ["agent-tester"]
    assert found(here, "tide", "user") == found(None, "tide", "user") == ["user"]


texts = st.lists(st.sampled_from(["tide", "gate", "tide gate", "lock", "Tide: the lock at the gate"]), max_size=6)


@pytest.mark.vfcc("REQ-READ-SCOPE")
@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given(ours=texts, mine=texts, tasks=texts)
def test_private_items_change_neither_order_nor_scores_of_the_others(
    here: Workspace, ours: list[str], mine: list[str], tasks: list[str]
) -> None:
    from verifflowcc.memory.use.stores import open_store

    task = "task/mend-it-k3f9"
    everywhere = {"project": ours, "user": mine, task: tasks}
    for scope in everywhere:
        with open_store(here, scope) as store:
            store.clear()
    keep(here, *(made(f"p{n}", text, importance=f"0.{n + 1}") for n, text in enumerate(ours)))
    before = answer(here, "tide gate", "project", limit=50)
    for scope in ("user", task):
        keep(
            here,
            *(
                made(f"{scope[0]}{n}", text, scope=scope, created="2026-11-20")
                for n, text in enumerate(everywhere[scope])
            ),
            scope=scope,
        )
    after = answer(here, "tide gate", "project", "user", task, limit=50)

    assert [each for each in after if each[0] == "project"] == before
    assert len(after) == sum("tide" in text.lower() or "gate" in text for each in everywhere.values() for text in each)


@pytest.mark.vfcc("REQ-SEARCH", "REQ-READ-SCOPE")
def test_what_does_not_stand_is_found_with_everything_alone_and_below_what_replaced_it(here: Workspace) -> None:
    put(
        here,
        "---\nid: new\ntype: fact\nlinks: [{to: old, relation: supersedes}]\n---\nThe tide gate.\n",
        "---\nid: old\ntype: fact\nimportance: 1.0\nconfidence: 1.0\ncreated: 2026-11-20\n---\nThe tide gate.\n",
        "---\nid: archived\ntype: fact\nstatus: archived\n---\nThe tide gate.\n",
        "---\nid: pending\ntype: fact\nstatus: pending\n---\nThe tide gate.\n",
    )
    write_memory(
        here.root,
        {
            "project/decisions/0001-a.md": "# The tide gate\n\n## Status\n\nRejected\n",
            "project/decisions/0002-b.md": "# The tide gate\n\n## Status\n\nDeprecated\n",
            "project/decisions/0003-c.md": "# The tide gate\n\n## Status\n\nSuperseded by [4](0004-d.md)\n",
            "project/decisions/0004-d.md": "# The tide gate\n\n## Status\n\nAccepted\n",
        },
    )
    standing = {
        hit.item.path.rpartition("/")[2]: hit.invalid_reason for hit in asked(here, "tide gate", everything=True).hits
    }
    order = list(standing)

    decisions = [f".memory/project/decisions/{name}" for name in ("0001-a", "0004-d")]
    assert sorted(found(here, "tide gate")) == [*decisions, "new"], "what was rejected is an answer too, and says so"
    assert {name for name, why in standing.items() if why} == {
        *("old.md", "archived.md", "pending.md", "0001-a.md", "0002-b.md", "0003-c.md"),
    }
    assert order.index("new.md") < order.index("old.md")
    assert order.index("0004-d.md") < order.index("0003-c.md")


@pytest.mark.vfcc("REQ-READ-EXPANSION")
@pytest.mark.parametrize("relation", ["caused_by", "resolved_by", "contradicts", "depends_on", "supersedes"])
def test_links_lead_both_ways_behind_the_direct_hits(here: Workspace, relation: str) -> None:
    remember(here, "from", "The tide.", links=f"[{{to: to, relation: {relation}}}]")
    remember(here, "to", "The moon.")
    hits = {hit.item.id: hit for hit in asked(here, "tide", everything=True).hits}
    back = {hit.item.id: hit for hit in asked(here, "moon", everything=True).hits}

    assert (list(hits), list(back)) == (["from", "to"], ["to", "from"])
    assert hits["from"].via is None
    assert [(each.hit, each.relation, each.outward) for each in (hits["to"].via, back["from"].via) if each] == [
        ("from", relation, True),
        ("to", relation, False),
    ]
    assert 0 < hits["to"].score < hits["from"].score


@pytest.mark.vfcc("REQ-READ-EXPANSION")
def test_what_links_bring_in_is_bounded_certain_and_in_force(here: Workspace) -> None:
    names = ["doubtful", "gone", "archived", *(f"n{number}" for number in range(5))]
    links = ", ".join(f"{{to: {name}, relation: depends_on}}" for name in names)
    remember(here, "from", "The tide.", links=f"[{links}]")
    remember(here, "doubtful", "The moon.", confidence="0.4")
    remember(here, "gone", "The moon.")
    remember(here, "newer", "The sun.", links="[{to: gone, relation: supersedes}]")
    remember(here, "archived", "The moon.", status="archived")
    for number in range(5):
        remember(here, f"n{number}", "The moon.")

    assert found(here, "tide") == ["from", "n0", "n1", "n2"]
    assert found(here, "tide", limit=1) == ["from", "n0", "n1", "n2"]
    assert found(here, "tide", types=("decision",)) == []
    off = project(here.root.parent, memory="  expansion: {enabled: false}\n")
    assert found(off, "tide") == ["from"]


@pytest.mark.vfcc("REQ-READ-EXPANSION")
def test_a_type_that_is_asked_for_holds_for_what_links_bring_in(here: Workspace) -> None:
    remember(here, "from", "The tide.", links="[{to: other, relation: depends_on}, {to: same, relation: depends_on}]")
    remember(here, "other", "The moon.", "failure")
    remember(here, "same", "The moon.")

    assert found(here, "tide", types=("fact",)) == ["from", "same"]


@pytest.mark.vfcc("REQ-READ-EXPANSION", "REQ-READ-SCOPE")
def test_a_private_item_takes_no_place_of_what_links_bring_in(here: Workspace) -> None:
    links = ", ".join(f"{{to: {name}, relation: depends_on}}" for name in ("b", "c", "d"))
    remember(here, "from", "The tide.", links=f"[{links}]")
    for name in ("b", "c", "d"):
        remember(here, name, "The moon.")
    before = found(here, "tide")
    remember(here, "a", "Mine.", scope="user", links="[{to: from, relation: caused_by}]")

    assert found(here, "tide") == before == ["from", "b", "c", "d"]


@pytest.mark.vfcc("REQ-SEARCH")
def test_the_past_is_searched_as_it_was(here: Workspace) -> None:
    remember(here, "old", "The tide.", created="2026-01-01")
    remember(here, "new", "The tide.", created="2026-06-01", links="[{to: old, relation: supersedes}]")
    remember(here, "undated", "The tide.")

    assert set(found(here, "tide", as_of="2026-03-01")) == {"old", "undated"}
    assert set(found(here, "tide", as_of="2026-07-01")) == {"new", "undated"}
    assert set(found(here, "tide")) == {"new", "undated"}
    assert set(found(here, "tide", as_of="2025-01-01")) == {"undated"}
    with pytest.raises(UsageError, match="is no day"):
        found(here, "tide", as_of="yesterday week")


@pytest.mark.vfcc("REQ-FILE-BOOST")
def test_what_speaks_of_a_file_in_play_is_lifted_also_without_a_word(here: Workspace) -> None:
    remember(here, "a", "The tide.")
    remember(here, "b", "The tide.", refs="[{path: src/app.py}]")
    remember(here, "c", "The moon.", refs="[{path: src/app.py, symbol: run}]")
    remember(here, "d", "The moon.", refs="[{path: src/other.py}]")

    assert found(here, "tide") == ["a", "b"]
    assert found(here, "tide", paths=("src/app.py",))[0] == "b"
    assert set(found(here, "", paths=("src/app.py",))) == {"b", "c"}
    assert set(found(here, "tide", paths=("src/app.py",))) == {"a", "b", "c"}
    off = project(here.root.parent, memory="  active: {file_boost: false}\n")
    assert found(off, "tide", paths=("src/app.py",)) == ["a", "b"]


@pytest.mark.vfcc("REQ-SEARCH")
@pytest.mark.parametrize("limit", [0, -1, -100])
def test_a_limit_is_a_number_from_one(here: Workspace, limit: int) -> None:
    remember(here, "a", "The tide.")

    with pytest.raises(UsageError, match=f"a limit is a whole number from 1, not {limit}"):
        found(here, "tide", limit=limit)


@pytest.mark.vfcc("REQ-SEARCH")
def test_a_type_that_there_is_not_is_told_with_the_nearest(here: Workspace) -> None:
    remember(here, "a", "The tide.")

    with pytest.raises(UsageError, match="did you mean fact"):
        found(here, "tide", types=("fcat",))


@pytest.mark.vfcc("REQ-SEARCH", "REQ-SECRETS")
def test_an_answer_holds_no_secret(here: Workspace) -> None:
    heading = f"The token {TOKEN}"
    text = f"# {heading}\n\n{'filler ' * 300}\n\n# password: {PASSWORD}\n\n{'filler tide ' * 100}\n"
    path = ".memory/project/items/fact/planted.md"
    refs = f"[{{path: src/app.py, symbol: {TOKEN}}}]"
    whole = f"---\nid: planted\ntype: fact\ntitle: {heading}\ntags: [{TOKEN}]\nrefs: {refs}\n---\n{text}"
    write_memory(here.root, {path.removeprefix(".memory/"): whole})

    said = repr([(hit.heading, hit.item.title, hit.item.tags, hit.matched) for hit in asked(here, "filler tide").hits])
    assert "planted" in repr(asked(here, "filler tide"))
    assert TOKEN not in said
    assert PASSWORD not in said


@pytest.mark.vfcc("REQ-READ-LEXICAL")
def test_a_link_to_an_odd_name_is_no_error(here: Workspace) -> None:
    for number, name in enumerate(["x²", "9" * 5000, "../up.md", "/", "", "٣"]):
        remember(here, f"i{number}", "The tide.", links=f"[{{to: '{name}', relation: depends_on}}]")

    assert len(found(here, "tide")) == 6


@pytest.mark.points(2)
@pytest.mark.parametrize("limit", [10, 30, 60])
def test_what_hardly_matches_is_found_where_as_many_are_asked_for(here: Workspace, limit: int) -> None:
    strong = [made(f"strong-{number:02}", "Tide gates. " * 4) for number in range(25)]
    weak = [made(f"weak-{number:02}", "Filler text of some other sort. " * 20 + "A gate.") for number in range(35)]
    keep(here, *strong, *weak)

    names = found(here, "tide gates", limit=limit)

    assert len(names) == limit
    assert all("strong" in name for name in names[:25])
