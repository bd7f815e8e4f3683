"""Whether references are bound to whom they mean: our confident bindings beside the answers of jedi, on real code.

    python benchmarks/code_callers.py --peer PYTHON [--data PATH …] [--functions N] [--mentions N] [--seed N] [--json]

Functions are chosen by chance; of each, the places where its name is spoken of (`code_mentions.py` finds them with
Python's own parser), at most `--mentions` of them by chance. At each place jedi is asked (`goto`, and `infer` where
that finds no function) and ours is what the reference there is bound to with at least `CONFIDENT`.

- precision: of our confident bindings at places where jedi answers, how many it agrees with;
- recall: of the places that jedi binds to the chosen function, how many we bind to it confidently.

The differences have a class each: what we say and what jedi does, or why we do not bind what it binds.

- wrong, inherited, "object's own": jedi follows `super()` into the first base as far as `object`, past the other bases;
- wrong, "another statement", "another property": a field that is set in one class and defined anew in one below it, or
  an object of which jedi knows more;
- missed, "ambiguous": the type of the object is not said where we look (an element of a list, an alias of a class, a
  function that says nothing of what it returns), so that all methods of the name are candidates, none confident;
- missed, "thought outside": what a call of something outside of the tree returns counts as outside;
- missed, "no use is kept": a value read from an object of unknown type is no fact of the file.

Intervals of 95 % by bootstrap over functions. `PYTHON` is one that has jedi: keep it in an environment of its own.
Functions are split in two by a digest of their names: tune on an even seed, report on an odd one.
"""

import argparse
import json
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from benchmarks.code_mentions import Function, Mention, chosen_mentions, python_files, read_tree, sample
from benchmarks.code_server import Said, ask
from tests.pure.code_in_memory import code_of
from verifflowcc.code.rules.binding import Binder
from verifflowcc.code.rules.graph import CALLABLE, CONFIDENT, FILE, TYPES, BindingResult, Reference, ReferenceKind

RESAMPLED = 1_000
MODULE_ROOTS = (".", "src", "tests")
NOT_FOUND = BindingResult()


@dataclass(frozen=True)
class Judged:
    """A mention of a function: what jedi said, and whether we bind it. `why` is a class of difference, if any."""

    root: str
    function: Function
    mention: Mention
    theirs: bool
    answered: bool
    ours: bool
    bound: bool
    agreed: bool
    why: str


def main() -> None:
    """Measure, and print."""
    wanted = _arguments()
    judged: list[Judged] = []
    for root in wanted.data:
        judged += judge(root.resolve(), wanted)
    if wanted.json:
        print(json.dumps(_figures(judged), indent=2))
    else:
        _show(judged)
    if wanted.list:
        _list(judged, wanted.list)


def judge(root: Path, wanted: argparse.Namespace) -> list[Judged]:
    """Judge the mentions of the functions chosen in one source tree."""
    tree = read_tree(root)
    chosen = sample(tree, wanted.functions, wanted.seed)
    asked = [
        (function, mention)
        for function in chosen
        for mention in chosen_mentions(tree, function, wanted.mentions, wanted.seed)
    ]
    roots = [each for each in MODULE_ROOTS if (root / each).is_dir()]
    said = ask(wanted.peer, root, roots, [mention for _, mention in asked], wanted.cache)
    code = code_of({path: (root / path).read_bytes() for path in python_files(root)})
    binder = Binder(code)
    return [
        _judged(root, binder, function, mention, answer)
        for (function, mention), answer in zip(asked, said, strict=True)
    ]


def _judged(root: Path, binder: Binder, function: Function, mention: Mention, said: Said) -> Judged:
    reference, bound = _ours(binder, mention)
    confident = [each for each in bound.candidates if each.confidence >= CONFIDENT]
    places = {_where(binder, each.path, each.place) for each in confident}
    target = (function.path, function.line)
    theirs = {(each.path, each.line) for each in said.places}
    is_theirs, is_ours = target in theirs, target in places
    agreed = bool(places & theirs)
    why = ""
    if places and said.places and not agreed:
        why = f"wrong: {confident[0].why}; jedi: {_kind(said, function)}"
    elif is_theirs and not is_ours:
        why = f"missed: {_why_missed(binder, mention, reference, bound, target)}"
    return Judged(root.name, function, mention, is_theirs, bool(said.places), is_ours, bool(places), agreed, why)


def _ours(binder: Binder, mention: Mention) -> tuple[Reference | None, BindingResult]:
    """Return our reference at a mention: on its line, or, of a use that is kept once, in the same definition."""
    found = [each for each in binder.code.references(mention.path) if each.name == mention.name]
    found = [each for each in found if bool(each.receiver) == mention.attribute]
    found = [each for each in found if (each.kind is ReferenceKind.CALL) == mention.called] or found
    here = [each for each in found if each.line == mention.line]
    if not here and not mention.called:
        sheet = binder.names.sheet(mention.path)
        around = [
            place
            for place, each in enumerate(sheet.head.definitions)
            if each.line <= mention.line <= each.end and each.kind in CALLABLE | TYPES
        ] or [FILE]
        here = [each for each in found if each.inside == around[-1] and each.line <= mention.line]
    if not here:
        return None, NOT_FOUND
    best = max(here, key=lambda each: _sureness(binder.bound(mention.path, each)))
    return best, binder.bound(mention.path, best)


def _sureness(bound: BindingResult) -> int:
    return bound.candidates[0].confidence if bound.candidates else 0


def _where(binder: Binder, path: str, place: int) -> tuple[str, int]:
    return path, binder.names.sheet(path).definition(place).line if place != FILE else 1


def _kind(said: Said, function: Function) -> str:
    first = said.places[0]
    if not first.path:
        return "outside" if not first.name.startswith("__") else "object's own"
    if (first.path, first.line) == (function.path, function.line):
        return "this function"
    return f"another {first.kind}"


def _why_missed(
    binder: Binder, mention: Mention, reference: Reference | None, bound: BindingResult, target: tuple[str, int]
) -> str:
    if reference is None:
        return "no call is kept" if mention.called else "no use is kept"
    if bound.external:
        return "thought outside"
    if not bound.candidates:
        return "nobody"
    if bound.candidates[0].confidence >= CONFIDENT:
        return "bound to another"
    among = any(_where(binder, each.path, each.place) == target for each in bound.candidates)
    return f"{'ambiguous' if among else 'not a candidate'}, {_receiver(reference)}"


def _receiver(reference: Reference) -> str:
    receiver = reference.receiver
    if not receiver:
        return "no receiver"
    if receiver in ("self", "cls", "super()", "?"):
        return receiver
    return ("call" if receiver.endswith(")") else "name") + (" chain" if "." in receiver else "")


def _precision(judged: Iterable[Judged]) -> tuple[int, int]:
    held = [each.agreed for each in judged if each.bound and each.answered]
    return sum(held), len(held)


def _recall(judged: Iterable[Judged]) -> tuple[int, int]:
    held = [each.ours for each in judged if each.theirs]
    return sum(held), len(held)


def _interval(judged: Sequence[Judged], share: Callable[[Iterable[Judged]], tuple[int, int]]) -> tuple[float, float]:
    groups: dict[tuple[str, Function], list[Judged]] = defaultdict(list)
    for each in judged:
        groups[each.root, each.function].append(each)
    counts = [share(each) for each in groups.values()]
    dice, shares = random.Random(1), []
    for _ in range(RESAMPLED):
        drawn = dice.choices(counts, k=len(counts))
        shares.append(sum(each[0] for each in drawn) / max(sum(each[1] for each in drawn), 1))
    shares.sort()
    return shares[RESAMPLED * 25 // 1000], shares[RESAMPLED * 975 // 1000 - 1]


def _figures(judged: Sequence[Judged]) -> dict[str, object]:
    figures: dict[str, object] = {}
    for root in (*sorted({each.root for each in judged}), "all"):
        some = [each for each in judged if root in ("all", each.root)]
        said: dict[str, object] = {
            "functions": len({(each.root, each.function) for each in some}),
            "mentions": len(some),
            "answered": sum(each.answered for each in some),
        }
        for name, share in (("precision", _precision), ("recall", _recall)):
            part, whole = share(some)
            said[name] = {"of": whole, "share": part / max(whole, 1), "interval": _interval(some, share)}
        said["differences"] = dict(Counter(each.why for each in some if each.why).most_common())
        figures[root] = said
    return figures


def _show(judged: Sequence[Judged]) -> None:
    for root, said in _figures(judged).items():
        assert isinstance(said, dict)
        print(
            f"{root}: {said['functions']} functions, {said['mentions']} mentions, {said['answered']} answered by jedi"
        )
        for name in ("precision", "recall"):
            low, high = said[name]["interval"]
            print(f"  {name:9} {said[name]['share']:.3f}  ({low:.3f} to {high:.3f}) of {said[name]['of']}")
        for why, count in said["differences"].items():
            print(f"  {count:5}  {why}")


def _list(judged: Sequence[Judged], part: str) -> None:
    for each in judged:
        if part in each.why:
            print(f"{each.root}/{each.mention.path}:{each.mention.line}: {each.function.name}: {each.why}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--peer", required=True, help="a Python that has jedi")
    parser.add_argument("--data", type=Path, action="append", required=True, help="a source tree; may be repeated")
    parser.add_argument("--functions", type=int, default=200, help="how many of each source tree")
    parser.add_argument("--mentions", type=int, default=20, help="most of one function")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cache", type=Path, default=Path(".memory/local/jedi"), help="where answers are kept")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--list", default="", metavar="PART", help="list the differences whose class has this part")
    return parser.parse_args()


if __name__ == "__main__":
    main()
