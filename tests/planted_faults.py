"""For every trace check a small project with exactly its fault, and one that comes near and is sound."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from tests.trace_world import (
    GREEN,
    ITEMS,
    LOGIN_TEST,
    REPORT,
    REVIEWER,
    TODAY,
    World,
    clean,
    item,
    link,
    of_code,
    of_tests,
    result,
    stamped,
)
from verifflowcc.base.model.gate_values import EvidenceTrust
from verifflowcc.base.model.item_values import Ref, Stamp, Status
from verifflowcc.base.model.trace_codes import TYPES, ItemRule
from verifflowcc.base.model.trace_values import (
    CodeSymbol,
    Flaw,
    GitTrace,
    Outcome,
    ProcessFact,
    ResultReport,
    Severity,
    TraceBaseline,
    TraceItem,
)
from verifflowcc.trace.rules.fingerprint import stamp_of_item
from verifflowcc.trace.rules.link_checks import EMPTY

W = clean()
NEW_TEST = "tests/test_new.py::test_new"


@dataclass(frozen=True)
class Fault:
    """A world that has the fault, and one that nearly has. `where` is the id or path that must be named."""

    planted: World
    near: World
    where: str


def and_items(*items: TraceItem, world: World = W) -> World:
    """The world with further items, all reviewed."""
    return world.add(*items).stamped()


def shown(*items: TraceItem, world: World = W) -> World:
    """The world with further items that a test passes for, all reviewed."""
    ids = [each.id for each in items]
    made = and_items(*items, world=world).file(of_tests("tests/test_new.py", test_new=" ".join(ids)))
    return made.told(result(NEW_TEST, *ids))


def linked(item_id: str, *said: str, world: World = W) -> World:
    """The world with further links of an item, all reviewed."""
    more = tuple(link(each, 20 + number) for number, each in enumerate(said))
    return world.edit(item_id, links=world[item_id].links + more).stamped()


def reviewed_only(world: World, *ids: str) -> World:
    """The world with new reviews of some items; the stamps of links are as they were."""
    for name in ids:
        world = world.edit(name, reviewed=Stamp(stamp_of_item(world[name].digest), REVIEWER, TODAY))
    return world


def flawed(code: str, world: World = W, item_id: str = "REQ-login") -> World:
    """The world with a flaw in one item's file."""
    return world.edit(item_id, flaws=(Flaw(code, 4, f"{code} it is", "status"),))


def told(outcome: Outcome) -> World:
    """A need with a test of its own, and what became of it: nothing stands above it."""
    return (
        shown(world=W.told(result("tests/test_new.py::test_need", "NEED-a", outcome=outcome)))
        .file(of_tests("tests/test_new.py", test_need="NEED-a"))
        .untold(NEW_TEST)
    )


def fact(code: str) -> Fault:
    """A fault that a sprint tells."""
    one = ProcessFact(code, "login/check", "it is so", ".memory/sprint/login/events/1.json", "vfcc check gate")
    return Fault(W.but(process=(one,)), W, one.path)


RETIRED = item("REQ-old", "refines NEED-a", status=Status.ARCHIVED)
WITH_RETIRED = and_items(RETIRED)
FLAWS = ("bad-field", "unknown-field", "empty-text", "placeholder", "weak-wording", "non-atomic")
FACTS = ("low-coverage", "missing-artifact", "left-changed", "waiver-expired", "waiver-orphaned", "waiver-unapproved")
QUIET = W.ask(severities={"failed-result": Severity.NOTE, "not-verified": Severity.NOTE})
UNIT_B = item("UNIT-b", "implements COMP-a")
CODE_B = of_code("src/b.py", b="UNIT-b")
OTHER = ResultReport("other.xml", EvidenceTrust.RAN_BY_VFCC, tests=1)


def _moved(path: str, name: str, digest: str) -> World:
    file = of_code(path, **{name: "UNIT-a"})
    gone = tuple(each for each in W.code if each.path != "src/login.py")
    return W.but(code=gone).file(replace(file, symbols=(CodeSymbol(name, 40, 44, digest),)))


def _identity() -> Mapping[str, Fault]:
    pattern = W.ask(id_pattern="[A-Z]+-[a-z]+")
    copy = replace(W["REQ-login"], path=f"{ITEMS}/requirement/more/REQ-login.md")
    retired = replace(copy, status=Status.ARCHIVED)
    there = f"{ITEMS}/requirement/REQ-login.md"
    return {
        "duplicate-id": Fault(W.add(copy), shown(item("REQ-Login", "refines NEED-a")), "REQ-login"),
        "bad-id": Fault(
            shown(item("REQ-2fa", "refines NEED-a"), world=pattern),
            shown(item("REQ-twofa", "refines NEED-a"), world=pattern),
            "REQ-2fa",
        ),
        "reused-id": Fault(W.add(retired), WITH_RETIRED, "REQ-login"),
        "id-collision": Fault(
            W.but(git=GitTrace("main", collisions={"REQ-login": there})),
            W.but(git=GitTrace("main", collisions={"REQ-logout": there})),
            "REQ-login",
        ),
        "file-name": Fault(
            W.edit("REQ-login", path=f"{ITEMS}/requirement/login.md"),
            W.edit("REQ-login", path=f"{ITEMS}/requirement/deep/REQ-login.md"),
            "REQ-login",
        ),
    }


def _schema() -> Mapping[str, Fault]:
    epic = and_items(item("EPIC-a", type="epic"))
    flaws = {code: Fault(flawed(code), flawed(code, WITH_RETIRED, "REQ-old"), "REQ-login") for code in FLAWS}
    levels = W.edit("UNIT-a", integrity="B").stamped()
    return flaws | {
        "unreadable-item": Fault(W.but(unreadable={f"{ITEMS}/x.md": "3: it is not UTF-8"}), W, f"{ITEMS}/x.md"),
        "missing-field": Fault(
            W.edit("REQ-login", verification=None).stamped(), W.edit("COMP-a", verification=None).stamped(), "REQ-login"
        ),
        "bad-field": Fault(levels.ask(integrity=("QM", "A")), levels.ask(integrity=("QM", "A", "B")), "UNIT-a"),
        "unknown-type": Fault(epic, epic.ask(types={**TYPES, "epic": ItemRule("epic", "EPIC", root=True)}), "EPIC-a"),
    }


def _links() -> Mapping[str, Fault]:
    need_b = and_items(item("NEED-b"))
    drafts = shown(
        item("NEED-d", status=Status.PENDING), item("REQ-d", "refines NEED-d", status=Status.PENDING), world=W
    )
    circle = shown(item("REQ-a", "refines REQ-b"), item("REQ-b", "refines REQ-a"))
    chain = shown(item("REQ-a", "refines REQ-b"), item("REQ-b", "refines NEED-a"))
    old = and_items(item("NEED-old", status=Status.ARCHIVED))
    files = W.but(files={"src/there.py": "sha256:there"})
    return {
        "dangling-link": Fault(
            linked("REQ-login", "refines NEED-b"), linked("REQ-login", "refines NEED-b", world=need_b), "REQ-login"
        ),
        "unknown-relation": Fault(
            linked("REQ-login", "extends NEED-a"), linked("REQ-login", "derives NEED-a"), "REQ-login"
        ),
        "wrong-end": Fault(linked("COMP-a", "verifies REQ-login"), linked("COMP-a", "satisfies REQ-login"), "COMP-a"),
        "wrong-level": Fault(linked("COMP-b", "refines UNIT-a"), linked("UNIT-a", "refines COMP-b"), "COMP-b"),
        "self-link": Fault(
            linked("REQ-login", "refines REQ-login"), shown(item("REQ-b", "refines REQ-login")), "REQ-login"
        ),
        "link-cycle": Fault(circle, chain, "REQ-a"),
        "duplicate-link": Fault(
            linked("REQ-login", "refines NEED-a"), linked("REQ-login", "derives NEED-a"), "REQ-login"
        ),
        "link-to-draft": Fault(W.edit("NEED-a", status=Status.PENDING), drafts, "REQ-login"),
        "link-to-retired": Fault(
            linked("REQ-login", "refines NEED-old", world=old),
            and_items(item("REQ-old", "refines NEED-old", status=Status.ARCHIVED), world=old),
            "REQ-login",
        ),
        "file-gone": Fault(
            W.edit("COMP-a", refs=(Ref("src/gone.py"),)),
            files.edit("COMP-a", refs=(Ref("src/there.py"), Ref("./src/"), Ref("https://example.org/x"))),
            "COMP-a",
        ),
        "symbol-gone": Fault(
            W.edit("COMP-a", refs=(Ref("src/login.py", "logout"),)),
            W.edit("COMP-a", refs=(Ref("src/login.py", "login"),)),
            "COMP-a",
        ),
        "unknown-mark": Fault(
            W.file(of_code("src/more.py", more="REQ-gone")),
            W.file(of_code("src/more.py", more="REQ-login")),
            "src/more.py",
        ),
        "retired-mark": Fault(
            WITH_RETIRED.file(of_code("src/more.py", more="REQ-old")),
            WITH_RETIRED.file(of_code("src/more.py", more="REQ-login")),
            "src/more.py",
        ),
    }


def _coverage() -> Mapping[str, Fault]:
    new = W.but(files={"src/new.py": "sha256:new", "README.md": "sha256:readme"}, changed=("src/new.py",))
    product = W.ask(code=("src/**",))
    unit_b = and_items(UNIT_B).file(CODE_B)
    deep = and_items(UNIT_B, world=QUIET).file(CODE_B)
    return {
        "no-parent": Fault(
            shown(item("REQ-b")), shown(item("REQ-b", derived=True, rationale="The kit demands it.")), "REQ-b"
        ),
        "derived-without-rationale": Fault(
            shown(item("REQ-b", derived=True, rationale=" ")),
            shown(item("REQ-b", derived=True, rationale="The kit demands it.")),
            "REQ-b",
        ),
        "missing-child": Fault(
            and_items(item("NEED-b")), linked("REQ-login", "derives NEED-b", world=and_items(item("NEED-b"))), "NEED-b"
        ),
        "not-verified": Fault(unit_b, shown(UNIT_B).file(CODE_B), "UNIT-b"),
        "orphan-test": Fault(
            W.file(of_tests("tests/test_more.py", test_more="", helper="")),
            W.file(of_tests("tests/test_more.py", TestMore="NEED-a", **{"TestMore.test_more": "", "helper": ""})).told(
                result("tests/test_more.py::TestMore.test_more", "NEED-a")
            ),
            "tests/test_more.py",
        ),
        "orphan-component": Fault(
            and_items(item("COMP-c")), and_items(item("COMP-c", derived=True, rationale="The kit has it.")), "COMP-c"
        ),
        "orphan-file": Fault(
            new, new.but(changed=("README.md", "src/login.py", "src/gone.py", ".memory/x.py")), "src/new.py"
        ),
        "untraced-code": Fault(
            product.but(files={"src/other.py": "sha256:other"}),
            product.but(files={"src/__init__.py": EMPTY, "tools/other.py": "sha256:o", "src/tests/x.py": "sha256:x"}),
            "src/other.py",
        ),
        "deep-coverage": Fault(deep, deep.edit("UNIT-b", planned="2027"), "COMP-a"),
        "one-ended-interface": Fault(
            shown(item("IF-b", "refines COMP-a")), shown(item("IF-b", "refines COMP-a", "refines COMP-b")), "IF-b"
        ),
    }


def _change() -> Mapping[str, Fault]:
    old = WITH_RETIRED["REQ-old"]
    bare = tuple(replace(each, stamp=None) for each in W["UNIT-a"].links)
    cleared = {
        why: tuple(replace(each, stamp=replace(each.stamp or Stamp(""), reason=why)) for each in W["UNIT-a"].links)
        for why in ("", "only a typo")
    }
    edited, near = (
        replace(W.code[0], digest="sha256:edited", symbols=symbols)
        for symbols in (
            (CodeSymbol("login", 1, 5, "another digest"),),
            (CodeSymbol("login", 21, 25, "digest of login"), CodeSymbol("logout", 1, 5, "new")),
        )
    )
    digests = {each.id: each.digest for each in W.items}
    base = TraceBaseline("r1", ".memory/project/baselines/r1.json", TODAY, REVIEWER, digests)
    return {
        "suspect-upstream": Fault(
            reviewed_only(W.edit("NEED-a", text="It is another."), "NEED-a"),
            W.edit("NEED-a", tags=("later",), rationale="Nobody waits."),
            "REQ-login",
        ),
        "suspect-downstream": Fault(
            reviewed_only(W.edit("UNIT-a", text="It is another."), "UNIT-a"),
            W.edit("UNIT-a", tags=("later",)),
            "UNIT-a",
        ),
        "unreviewed": Fault(
            W.edit("REQ-login", reviewed=None), WITH_RETIRED.edit("REQ-old", reviewed=None), "REQ-login"
        ),
        "unreviewed-link": Fault(
            W.edit("UNIT-a", links=bare),
            WITH_RETIRED.edit("REQ-old", links=tuple(replace(each, stamp=None) for each in old.links)),
            "UNIT-a",
        ),
        "self-reviewed": Fault(
            W.edit("REQ-login", author=REVIEWER.upper()), W.edit("REQ-login", author="human"), "REQ-login"
        ),
        "stale-review": Fault(
            W.edit("REQ-login", reviewed=Stamp(stamp_of_item("0" * 20), REVIEWER, TODAY)),
            W.edit("REQ-login", planned=None, tags=("x",)),
            "REQ-login",
        ),
        "code-edited": Fault(W.file(edited), W.file(near), "UNIT-a"),
        "code-moved": Fault(
            _moved("src/enter.py", "login", "digest of login"),
            _moved("src/login.py", "login", "digest of login"),
            "UNIT-a",
        ),
        "baseline-drift": Fault(
            W.but(baseline=replace(base, items={**digests, "REQ-login": "0" * 20})), W.but(baseline=base), "REQ-login"
        ),
        "cleared-without-reason": Fault(
            W.edit("UNIT-a", links=cleared[""]), W.edit("UNIT-a", links=cleared["only a typo"]), "UNIT-a"
        ),
    }


def _results() -> Mapping[str, Fault]:
    stale = replace(GREEN, stale="src/login.py changed")
    failed = QUIET.told(result(LOGIN_TEST, "TEST-login", outcome=Outcome.FAILED))
    skipped = told(Outcome.SKIPPED)
    waived = replace(skipped.results, waived_skips=frozenset({"tests/test_new.py::test_need"}))
    green = told(Outcome.PASSED)
    both = green.reported(OTHER).told(result("tests/test_new.py::test_need", "NEED-a", report=OTHER.name))
    fell = result("tests/test_new.py::test_need", "NEED-a", report=OTHER.name, outcome=Outcome.FAILED)
    unknown = result("tests/test_gone.py::test_gone", known=False)
    return {
        "no-result": Fault(
            W.untold(LOGIN_TEST),
            W.untold(LOGIN_TEST).told(result("tests.test_login.test_login", "TEST-login")),
            "TEST-login",
        ),
        "failed-result": Fault(told(Outcome.FAILED), green, "NEED-a"),
        "failed-below": Fault(
            failed,
            failed.told(result(LOGIN_TEST, "TEST-login"), result("tests/x.py::test_x", outcome=Outcome.FAILED)),
            "NEED-a",
        ),
        "skipped-result": Fault(skipped, skipped.but(results=waived), "NEED-a"),
        "flaky-result": Fault(told(Outcome.FLAKY), green, "NEED-a"),
        "conflicting-result": Fault(both.told(fell), both.told(replace(fell, outcome=Outcome.SKIPPED)), "NEED-a"),
        "stale-result": Fault(W.reported(stale), W.reported(replace(OTHER, stale="it changed")), REPORT),
        "unknown-test": Fault(W.told(unknown), W.told(replace(unknown, known=True)), REPORT),
        "untrusted-result": Fault(
            W.reported(replace(GREEN, trust=EvidenceTrust.ASSERTED)),
            W.reported(replace(GREEN, trust=EvidenceTrust.IMPORTED_CI)),
            REPORT,
        ),
        "weak-test": Fault(
            green.but(results=replace(green.results, proofs={"tests/test_new.py::test_need": "not discriminating"})),
            green.but(results=replace(green.results, proofs={"tests/test_new.py::test_need": "proven"})),
            "NEED-a",
        ),
        "unreadable-report": Fault(
            W.reported(replace(OTHER, problem="1: it is no XML")), W.reported(OTHER), OTHER.name
        ),
        "nothing-to-evaluate": Fault(World(()), World(stamped((item("HAZ-a"),))), ITEMS),
    }


def _process() -> Mapping[str, Fault]:
    levels = W.ask(integrity=("QM", "A"))
    guessed = W.edit("REQ-login", rationale="It seems to save time.", reconstructed=True)
    stamp = guessed["REQ-login"].reviewed or Stamp("")
    return {
        "integrity-inversion": Fault(
            levels.edit("NEED-a", integrity="A").edit("REQ-login", integrity="QM").stamped(),
            levels.edit("NEED-a", integrity="QM").stamped(),
            "REQ-login",
        ),
        "unconfirmed-rationale": Fault(
            guessed.edit("REQ-login", reviewed=replace(stamp, by="agent:coder")), guessed, "REQ-login"
        ),
        "planned-but-built": Fault(
            W.edit("UNIT-a", planned="2027"), and_items(item("REQ-later", "refines NEED-a", planned="2027")), "UNIT-a"
        ),
    }


FAULTS: Mapping[str, Fault] = {
    **_identity(),
    **_schema(),
    **_links(),
    **_coverage(),
    **_change(),
    **_results(),
    **{code: fact(code) for code in FACTS},
    **_process(),
}
