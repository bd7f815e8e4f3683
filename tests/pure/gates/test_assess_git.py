"""The diff and the commit criterion: what git tells of a sprint, judged."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifflowcc.base.model.gate_input import Change, CommitNote, Facts, History
from verifflowcc.base.model.gate_values import Assessment, Criterion, CriterionKind, Verdict
from verifflowcc.base.model.sprint_state import SprintState
from verifflowcc.base.records import replace
from verifflowcc.base.text.canonical import digest_text
from verifflowcc.gates.rules.gate_check import LARGEST_MESSAGE, assess_commit, assess_diff

BASE = "0123456789abcdef0123456789abcdef01234567"
CODE = Change("src/form.py", (1, 2, 3))
TEST = Change("tests/test_form.py", (1,))
PLAN = Change(".memory/stage/login/planning/artifacts/plan.md", (1,))


def facts(history: History | None, **content: str) -> Facts:
    return Facts(SprintState("login", "Log in"), "2026-11-21", content=content, history=history)


def changed(*changes: Change) -> Facts:
    return facts(History(BASE, changes=changes))


def diff(known: Facts, *files: str, **limits: int) -> Assessment:
    most = {name: number * 1_000_000 for name, number in limits.items()}
    return assess_diff(Criterion("changed", CriterionKind.DIFF, "code changed", files=files, at_most=most), "", known)


def note(subject: str, *paths: str, body: str = "", sha: str = "a") -> CommitNote:
    return CommitNote(sha * 40, "You", subject, body, paths or ("src/form.py",))


def commits(*notes: CommitNote, changes: tuple[Change, ...] = (), pattern: str | None = None) -> Assessment:
    criterion = Criterion("ids", CriterionKind.COMMIT, "commits say why", pattern=pattern)
    return assess_commit(criterion, "", facts(History(BASE, commits=notes, changes=changes)))


def test_a_change_outside_of_the_memory_passes() -> None:
    shown = diff(changed(CODE, TEST, PLAN))

    assert (shown.verdict, shown.reason) == (Verdict.PASS, "2 files changed since 0123456789ab")
    assert (shown.step, shown.notes) == ("", ())


@pytest.mark.parametrize("changes", [(), (PLAN,)])
def test_no_change_is_nothing_to_evaluate(changes: tuple[Change, ...]) -> None:
    shown = diff(changed(*changes))

    assert shown.verdict is Verdict.NOT_EVALUABLE
    assert shown.reason == "no file outside .memory/ changed since 0123456789ab"
    assert shown.step


@pytest.mark.parametrize("history", [None, History(problem="this is no git repository")])
def test_what_git_does_not_know_cannot_be_evaluated(history: History | None) -> None:
    criterion = Criterion("x", CriterionKind.COMMIT, "x")
    for shown in (diff(facts(history)), assess_commit(criterion, "", facts(history))):
        assert shown.verdict is Verdict.NOT_EVALUABLE
        assert shown.reason == (history.problem if history else "git was not asked")
        assert shown.step


def test_one_changed_file_must_match_and_the_others_are_told() -> None:
    shown = diff(changed(CODE, TEST), "src/**")
    assert (shown.verdict, shown.reason) == (Verdict.PASS, "1 file changed since 0123456789ab")
    assert shown.notes == ("outside of src/**: tests/test_form.py",)

    shown = diff(changed(TEST), "src/**")
    assert shown.verdict is Verdict.FAIL
    assert shown.reason.endswith("none of them in src/**: tests/test_form.py")


def test_a_deleted_file_is_a_change() -> None:
    assert diff(changed(Change("src/old.py", deleted=True))).verdict is Verdict.PASS


def test_a_change_may_be_too_large() -> None:
    assert diff(changed(CODE, TEST), files=2).verdict is Verdict.PASS
    shown = diff(changed(CODE, TEST, Change("a")), files=2)
    assert (shown.verdict, shown.reason) == (Verdict.FAIL, "3 files changed since 0123456789ab; 3 files, of at most 2")
    assert diff(changed(CODE, TEST), lines=3).verdict is Verdict.FAIL
    assert "lines, of at most 3" in diff(changed(CODE, TEST), lines=3).reason


def test_a_change_may_be_too_small() -> None:
    def least(files: int) -> Assessment:
        criterion = Criterion("changed", CriterionKind.DIFF, "code changed", at_least={"files": files * 1_000_000})
        return assess_diff(criterion, "", changed(CODE, TEST))

    assert least(2).verdict is Verdict.PASS
    assert least(3).reason.endswith("2 files, of at least 3")


def test_a_limit_on_what_a_diff_does_not_measure_is_not_evaluable() -> None:
    shown = diff(changed(CODE), words=3)
    assert (shown.verdict, shown.reason.partition("; ")[2]) == (
        Verdict.NOT_EVALUABLE,
        "a diff measures files and lines, and not words",
    )


def test_the_subject_of_a_diff_is_the_content_of_what_changed() -> None:
    def subject(digest: str, *changes: Change) -> str:
        known = facts(History(BASE, changes=changes), **{"src/form.py": digest})
        return assess_diff(Criterion("x", CriterionKind.DIFF, "x"), "", known).subject

    one = subject("sha256:1", CODE, TEST)
    assert one == subject("sha256:1", TEST, CODE, PLAN)
    assert one != subject("sha256:2", CODE, TEST)
    assert one != subject("sha256:1", CODE)
    assert one != subject("sha256:1", Change("src/form.py", deleted=True), TEST)


@pytest.mark.parametrize("message", ["login: one form", "form (login)", "REQ-12: one form", "fixes ABC-1", "login"])
def test_a_commit_names_the_sprint_or_an_item(message: str) -> None:
    shown = commits(note(message))

    assert (shown.verdict, shown.used) == (Verdict.PASS, ("a" * 12,))
    assert shown.reason == "1 commit since 0123456789ab, each with login or an item's id"


@pytest.mark.parametrize(
    "message",
    ["one form", "logins: one form", "pre-login form", "Q-1", "Req-12", "use UTF-8 and SHA-256, see RFC-7493", ""],
)
def test_a_commit_that_names_neither_fails(message: str) -> None:
    shown = commits(note("login: one form"), note(message, sha="b"))

    assert shown.verdict is Verdict.FAIL
    assert shown.reason.startswith("1 of 2 commits without login or an item's id in the message: bbbbbbbbbbbb")
    assert "git rebase -i 0123456789ab" in shown.step


def test_the_body_counts_as_the_subject_does_and_both_have_an_end() -> None:
    assert commits(note("one form", body="for REQ-12")).verdict is Verdict.PASS
    assert commits(note("one form", body="x" * LARGEST_MESSAGE + " REQ-12")).verdict is Verdict.FAIL


def test_commits_that_touch_the_memory_alone_are_left_out() -> None:
    plan = note("a plan", PLAN.path, sha="b")

    assert commits(note("login"), plan).used == ("a" * 12,)
    assert commits(plan).verdict is Verdict.NOT_EVALUABLE
    assert commits(note("a plan and code", PLAN.path, "src/form.py")).verdict is Verdict.FAIL


def test_no_commit_is_nothing_to_evaluate_and_tells_what_waits() -> None:
    shown = commits(changes=(CODE, PLAN))

    assert shown.verdict is Verdict.NOT_EVALUABLE
    assert shown.reason == "no commit since 0123456789ab touches a file outside .memory/"
    assert shown.notes == ("in no commit yet: src/form.py",)


def test_changes_that_no_commit_holds_are_told() -> None:
    files = tuple(Change(f"{name}.py") for name in "abcde")

    shown = commits(note("login", "a.py"), changes=files)

    assert (shown.verdict, shown.notes) == (Verdict.PASS, ("in no commit yet: b.py, c.py, d.py and 1 more",))
    assert commits(note("login", "a.py"), changes=files[:4]).notes == ("in no commit yet: b.py, c.py, d.py",)


@pytest.mark.parametrize(("count", "tail"), [(3, 'cccccccccccc "x"'), (4, 'cccccccccccc "x" and 1 more')])
def test_of_many_commits_at_fault_the_first_are_named(count: int, tail: str) -> None:
    assert commits(*(note("x", sha=sha) for sha in "abcd"[:count])).reason.endswith(tail)


def test_a_pattern_of_the_workflow_takes_the_place_of_the_ids() -> None:
    assert commits(note("feat: form"), pattern=r"^(feat|fix): ").verdict is Verdict.PASS
    shown = commits(note("login: form"), pattern=r"^(feat|fix): ")
    assert shown.verdict is Verdict.FAIL
    assert "without what matches ^(feat|fix): " in shown.reason


def test_a_pattern_that_is_none_is_not_evaluable() -> None:
    shown = commits(note("login"), pattern="(")

    assert shown.verdict is Verdict.NOT_EVALUABLE
    assert "cannot be used: it is no regular expression: " in shown.reason


def test_an_id_is_one_of_an_item_of_the_project() -> None:
    item = {".memory/project/items/requirement/REQ-login.md": "sha256:1"}

    def asked(subject: str, memory: dict[str, str]) -> Verdict:
        history = History(BASE, commits=(note(subject),))
        known = Facts(SprintState("login", "x"), "2026-11-21", memory=memory, history=history)
        return assess_commit(Criterion("ids", CriterionKind.COMMIT, "x"), "", known).verdict

    told = [asked(each, item) for each in ("REQ-login: form", "WIP-stuff", "REQ-12", "REQ-login-more", "SHOP-12")]
    assert told == [Verdict.PASS, *[Verdict.FAIL] * 4]
    assert [asked(each, {}) for each in ("SHOP-12: x", "WIP-stuff", "WIP-1-x")] == [Verdict.PASS, *[Verdict.FAIL] * 2]


def test_a_sprints_id_is_no_expression() -> None:
    criterion = Criterion("ids", CriterionKind.COMMIT, "x")
    known = replace(facts(History(BASE, commits=(note("logXin"),))), sprint=SprintState("log.in", "x"))
    assert assess_commit(criterion, "", known).verdict is Verdict.FAIL


def test_leave_to_pass_what_is_at_fault_holds_until_more_is() -> None:
    bad, worse, good = note("one form", sha="b"), note("more", sha="c"), note("login", sha="d")

    assert commits(bad).subject == commits(bad, good).subject
    assert commits(bad).subject != commits(bad, worse).subject
    assert commits(good).subject != digest_text("")


NOTES = st.lists(
    st.builds(
        CommitNote,
        st.text("abc", min_size=3, max_size=3),
        st.just("You"),
        st.sampled_from(["login: x", "x", "REQ-1"]),
        st.just(""),
        st.sampled_from([(), ("a.py",), (PLAN.path,), (PLAN.path, "b.py")]),
    ),
    max_size=5,
    unique_by=lambda each: each.sha,
)


@given(NOTES)
@settings(deadline=None, max_examples=150)
def test_one_commit_at_fault_is_enough_wherever_it_stands(notes: list[CommitNote]) -> None:
    shown, turned = commits(*notes), commits(*notes[::-1])
    asked = [each for each in notes if any(not path.startswith(".memory/") for path in each.paths)]
    bad = [each for each in asked if each.subject == "x"]

    wanted = Verdict.NOT_EVALUABLE if not asked else Verdict.FAIL if bad else Verdict.PASS
    assert shown.verdict is turned.verdict is wanted
    assert shown.subject == turned.subject
    assert bool(shown.step) == (wanted is not Verdict.PASS)
