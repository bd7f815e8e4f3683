"""Who wrote the content of a review, and which names and addresses are one person: laws and cases."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifflowcc.base.model.gate_input import ArtifactPut, Change, Facts, History, RecordedEdit
from verifflowcc.base.model.gate_values import Criterion, CriterionKind
from verifflowcc.base.model.people import Contributor, Opinion, Review, fold_name, one_each, same_person
from verifflowcc.base.model.sprint_state import Artifact, ArtifactText, Leg, SprintState, Stage, StageState, Workflow
from verifflowcc.base.text.canonical import digest_text
from verifflowcc.gates.rules.artifact_criteria import authorship, subject_of

pytestmark = pytest.mark.vfcc("REQ-APPROVALS")

REVIEWED = Criterion("reviewed", CriterionKind.REVIEW, "approved")
STAGE = Stage("build", "Build", Leg.APEX, None, "coder", (), exit=(REVIEWED,))
SPRINT = SprintState(
    "login", "Log in", workflow=Workflow("one", "One", (STAGE,), "sha256:0"), stages=(StageState(STAGE),)
)
FOLDER = ".memory/stage/login/build/artifacts"
TEXTS = ("a", "b")
PATHS = (f"{FOLDER}/one.md", f"{FOLDER}/two.md", "src/a.py", "src/b.py")
ACTORS = ("human:Ann", "human:Ben", "agent:coder", "ci")
CONTRIBUTORS = st.builds(Contributor, st.sampled_from(ACTORS[:2]), st.sampled_from(["", "a@x.org", "b@x.org"]))


def facts(texts: dict[str, str], history: History | None, puts: list[ArtifactPut], edits: list[RecordedEdit]) -> Facts:
    """A sprint with these files, of which some may be on record."""
    inside = {path.removeprefix(f"{FOLDER}/"): text for path, text in texts.items() if path.startswith(FOLDER)}
    return Facts(
        sprint=SPRINT,
        today="2026-11-21",
        content={path: digest_text(text) for path, text in texts.items() if not path.startswith(FOLDER)},
        artifacts={
            "build": tuple(
                ArtifactText(Artifact(name, digest_text(text), 1), text) for name, text in sorted(inside.items())
            )
        },
        history=history,
        puts=tuple(puts),
        edits=tuple(edits),
    )


HISTORIES = st.one_of(
    st.none(),
    st.just(History(problem="no base")),
    st.builds(
        History,
        authors=st.dictionaries(st.sampled_from(PATHS), st.lists(CONTRIBUTORS, min_size=1, max_size=2).map(tuple)),
        changes=st.lists(st.sampled_from(PATHS[2:]).map(Change), max_size=2).map(tuple),
        unsaved=st.lists(st.sampled_from(PATHS), max_size=2).map(tuple),
    ),
)
PUTS = st.builds(
    ArtifactPut,
    stage=st.just("build"),
    path=st.sampled_from(["one.md", "two.md"]),
    digest=st.sampled_from(TEXTS).map(digest_text),
    actor=st.sampled_from(ACTORS),
)
EDITS = st.builds(
    RecordedEdit,
    path=st.sampled_from(PATHS),
    digest=st.sampled_from(TEXTS).map(digest_text),
    actor=st.just("agent:coder"),
)
WORLDS = st.builds(
    facts,
    st.dictionaries(st.sampled_from(PATHS), st.sampled_from(TEXTS), min_size=1),
    HISTORIES,
    st.lists(PUTS, max_size=3),
    st.lists(EDITS, max_size=3),
)


def request(actor: str, here: Facts) -> Review:
    """A request for a review of the present content."""
    return Review(
        event=f"by {actor}",
        stage="build",
        criterion="reviewed",
        opinion=Opinion.REQUESTED,
        actor=actor,
        time="t",
        subject=subject_of(REVIEWED, "build", here),
    )


@settings(deadline=None, max_examples=200)
@given(WORLDS, st.lists(st.sampled_from(ACTORS), max_size=3))
def test_requests_never_shrink_the_authors(here: Facts, actors: list[str]) -> None:
    before = authorship(REVIEWED, "build", here)
    asked = replace(here, reviews=tuple(request(actor, here) for actor in actors))
    after = authorship(REVIEWED, "build", asked)

    assert set(before.authors) <= set(after.authors)
    assert {each.actor for each in after.authors} >= set(actors)
    for author in before.authors:
        assert after.objection(author)
    if not any(actor.startswith("human:") for actor in actors):
        assert after.unknown == before.unknown, "no agent answers for what it may not have written"


@settings(deadline=None, max_examples=200)
@given(WORLDS, st.lists(CONTRIBUTORS, min_size=1, max_size=2), st.sampled_from(PATHS))
def test_who_commits_bytes_with_a_record_does_not_matter(here: Facts, committers: list[Contributor], path: str) -> None:
    files = {
        **here.content,
        **{f"{FOLDER}/{one.artifact.path}": one.artifact.digest for one in here.artifacts["build"]},
    }
    recorded = {(f"{FOLDER}/{one.path}", one.digest) for one in here.puts} | {
        (one.path, one.digest) for one in here.edits
    }
    if here.history is None or here.history.problem or (path, files.get(path)) not in recorded:
        return
    history = replace(here.history, authors={**here.history.authors, path: tuple(committers)}, unsaved=())
    clean = replace(here, history=replace(here.history, unsaved=()))

    assert authorship(REVIEWED, "build", replace(here, history=history)) == authorship(REVIEWED, "build", clean)


def test_a_file_that_was_changed_since_its_last_commit_may_be_by_somebody_else() -> None:
    ann = Contributor("human:Ann", "a@x.org")
    saved = History(authors={"src/a.py": (ann,)}, changes=(Change("src/a.py"),))
    known = authorship(REVIEWED, "build", facts({"src/a.py": "a"}, saved, [], []))
    doubtful = authorship(REVIEWED, "build", facts({"src/a.py": "a"}, replace(saved, unsaved=("src/a.py",)), [], []))
    edit = RecordedEdit("src/a.py", digest_text("a"), "agent:coder")
    recorded = authorship(
        REVIEWED, "build", facts({"src/a.py": "a"}, replace(saved, unsaved=("src/a.py",)), [], [edit])
    )

    assert known.authors == doubtful.authors == (ann,)
    assert known.objection(Contributor("human:Ben")) == ""
    assert doubtful.objection(Contributor("human:Ben")) == (
        "cannot tell who wrote a.py, so self-approval cannot be ruled out"
    )
    assert recorded.objection(ann) == ""


@settings(deadline=None, max_examples=200)
@given(st.lists(CONTRIBUTORS, max_size=6))
def test_one_each_leaves_nobody_twice_and_nobody_out(found: list[Contributor]) -> None:
    left = one_each(found, lambda one: one)

    assert all(not one.is_same(other) for place, one in enumerate(left) for other in left[:place])
    for one in found:
        assert any(one.is_same(other) for other in left) or any(one.is_same(each) for each in found if each != one)
    assert one_each(left, lambda one: one) == left


@pytest.mark.parametrize(
    "name", ["You", "Y o u", "you.", "Y-O-U", "\uff39ou", "Y\u200bou", "Yo\u3164u", "Yo\ufe0fu", " YOU", "'You'"]
)
def test_a_name_is_the_same_however_it_is_spelled(name: str) -> None:
    assert same_person("human:You", f"human:{name}")


@pytest.mark.parametrize(
    ("one", "other"), [("Jo", "Joe"), ("José", "Jose"), ("राम", "रम"), ("...", "---"), ("李", "小")]
)
def test_names_that_differ_in_a_letter_are_two(one: str, other: str) -> None:
    assert not same_person(f"human:{one}", f"human:{other}")
    assert fold_name(one)


def test_an_address_makes_one_person_of_two_names_and_no_address_of_none() -> None:
    ann = Contributor("human:Ann", "Ann@Example.org")

    assert ann.is_same(Contributor("human:Someone", "ann@example.org "))
    assert not ann.is_same(Contributor("human:Someone", "else@example.org"))
    assert not Contributor("human:Ann").is_same(Contributor("human:Someone"))
    assert not ann.is_same(Contributor("agent:Ann", "Ann@Example.org"))
    chain = [ann, Contributor("human:Ben", "ann@example.org"), Contributor("human:Ben", "ben@example.org")]
    assert one_each(chain, lambda one: one) == chain[2:]
