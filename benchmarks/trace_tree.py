"""Traced projects of any size, each as vfcc and as doorstop keep it: the same items, links and texts, all reviewed.

A tenth are needs, four tenths requirements, three tenths components, the rest test specifications; 1.6 links each.
"""

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from verifflowcc.base.model.item_values import Link, Stamp
from verifflowcc.base.model.trace_values import TraceItem, Verification
from verifflowcc.base.text.canonical import digest_text
from verifflowcc.trace.rules.fingerprint import own_digest, stamp_of_item, stamp_of_link
from verifflowcc.trace.rules.import_doorstop import stamp
from verifflowcc.trace.rules.trace_render import render_trace_item

LINKS_PER_ITEM = 1.6
DAY = "2026-11-21"
_AUTHOR, _REVIEWER = "human:You", "human:Other"
_KINDS = (
    ("need", "NEED", 0.1, "", ""),
    ("requirement", "REQ", 0.4, "refines", "NEED"),
    ("component", "COMP", 0.3, "allocates", "REQ"),
    ("test_spec", "TEST", 0.2, "verifies", "REQ"),
)
_WORDS = (
    "tide gauge harbour reading forecast alarm operator station water level signal record history window sensor"
    " report interval storm channel pilot vessel draught margin warning display"
).split()


@dataclass(frozen=True)
class Made:
    """An item before it is written: `number` counts within its prefix; `to` are the names that it links to."""

    kind: str
    prefix: str
    number: int
    relation: str
    to: tuple[str, ...]
    text: str

    @property
    def name(self) -> str:
        """Its id in both forms."""
        return f"{self.prefix}{self.number:06}"


def make(size: int) -> list[Made]:
    """Return `size` items, the same for the same size."""
    dice = random.Random(size)
    counts = {prefix: round(size * share) for _, prefix, share, _, _ in _KINDS}
    linking = size - counts["NEED"]
    second = round(size * LINKS_PER_ITEM) - linking
    made: list[Made] = []
    for kind, prefix, _, relation, above in _KINDS:
        for number in range(1, counts[prefix] + 1):
            wanted = 0 if not above else 2 if len(made) - counts["NEED"] < second else 1
            first = (number - 1) % counts[above] + 1 if above else 0
            others = {first, dice.randint(1, counts[above])} if wanted == 2 else {first} - {0}
            to = tuple(f"{above}{each:06}" for each in sorted(others))
            made.append(Made(kind, prefix, number, relation, to, _text(dice)))
    return made


def _text(dice: random.Random) -> str:
    first, *others = (" ".join(dice.choices(_WORDS, k=12)) for _ in range(4))
    return "\n".join([f"The {first} shall be shown.", *(f"It is that of the {each}." for each in others)])


def write_vfcc(folder: Path, made: list[Made]) -> None:
    """Write the items below `.memory/project/items/` of a project that is there."""
    for item in _stamped(made):
        path = folder / item.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(render_trace_item(item, item.text, created=DAY), encoding="utf-8")


def _stamped(made: list[Made]) -> Iterator[TraceItem]:
    items = {each.name: _item(each) for each in made}
    nothing = digest_text("")
    for item in items.values():
        own = item.digest
        links = tuple(
            replace(link, stamp=Stamp(stamp_of_link(items[link.to].digest, own), _REVIEWER, DAY)) for link in item.links
        )
        verified = None
        if item.verification:
            verified = Verification(item.verification, _REVIEWER, DAY, stamp_of_item(own), nothing, "looked at it")
        yield replace(item, links=links, reviewed=Stamp(stamp_of_item(own), _REVIEWER, DAY), verified=verified)


def _item(made: Made) -> TraceItem:
    title = f"{made.kind} {made.number}: {made.text.split()[1]} {made.text.split()[2]}"
    method = "inspection" if made.kind == "requirement" else None
    pairs = [(to, made.relation) for to in made.to]
    return TraceItem(
        made.name,
        made.kind,
        title,
        f".memory/project/items/{made.kind}/{made.name}.md",
        made.text,
        own_digest(title, made.text, method, None, pairs),
        verification=method,
        links=tuple(Link(to, relation, 1) for to, relation in pairs),
    )


def write_doorstop(folder: Path, made: list[Made]) -> None:
    """Write the items as doorstop's documents, one YAML file each, with its own stamps of links and reviews."""
    parents = {prefix: above for _, prefix, _, _, above in _KINDS}
    links = {each.name: stamp(each.name, _fields(each), ()) for each in made}
    for prefix, above in parents.items():
        place = folder / prefix.lower()
        place.mkdir(parents=True)
        parent = f"  parent: {above}\n" if above else ""
        place.joinpath(".doorstop.yml").write_text(
            f"settings:\n  digits: 6\n{parent}  prefix: {prefix}\n  sep: ''\n", encoding="utf-8"
        )
    for each in made:
        path = folder / each.prefix.lower() / f"{each.name}.yml"
        path.write_text(_yaml(each, links), encoding="utf-8")


def _fields(made: Made) -> Mapping[str, object]:
    return {"text": made.text, "ref": ""}


def _yaml(made: Made, stamps: Mapping[str, str]) -> str:
    reviewed = stamp(made.name, _fields(made), (), made.to)
    links = "".join(f"- {to}: {stamps[to]}\n" for to in made.to)
    text = "".join(f"  {line}\n" for line in made.text.split("\n"))
    return (
        f"active: true\nderived: false\nheader: ''\nlevel: 1.{made.number}\n"
        f"{'links:' + chr(10) + links if links else 'links: []' + chr(10)}"
        f"normative: true\nref: ''\nreviewed: {reviewed}\ntext: |\n{text}"
    )
