"""What the five decision records ask for, and how far it is shown: writes docs/explanation/capabilities.md.

    python docs/capabilities.py

The page is made from the project's own requirements and needs (`.memory/project/items/`). A requirement's tags name the
sections that it answers: `record-3-protocol` is the section `protocol` of the third record. Its key `planned` names
what it waits for while it is not built, its key `gaps` holds a sentence for each case in which it does not hold.
"""

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[1]
ITEMS = ROOT / ".memory" / "project" / "items"
PAGE = ROOT / "docs" / "explanation" / "capabilities.md"

RECORDS = {
    1: "The memory hierarchy",
    2: "User and project memory",
    3: "Tiers and backends",
    4: "The life cycle of memory",
    5: "The code graph, episodes and the working window",
}


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a record: the tag's last word, a title, the record's headings in it, and why it asks for nothing."""

    key: str
    title: str
    headings: tuple[str, ...]
    asks_nothing: str = ""


SECTIONS: dict[int, tuple[Section, ...]] = {
    1: (
        Section(
            "reasons",
            "Context, reasons, alternatives, references",
            ("Context", "Rationale", "Why Hierarchical?", "Alternatives Considered", "References"),
            "reasons for the rest",
        ),
        Section("decision", "Four layers, loaded selectively", ("Decision",)),
        Section("tree", "The tree of files", ("Memory Hierarchy Structure",)),
        Section("manager", "The memory manager", ("Implementation", "Memory Manager")),
        Section("strategy", "Loading strategy and allocation", ("Memory Loading Strategy",)),
        Section("update", "Updates after a stage and a sprint", ("Memory Update Patterns",)),
        Section("injection", "How a prompt is put together", ("Context Injection Example",)),
        Section("consequences", "Consequences", ("Consequences", "Positive", "Negative")),
        Section("mitigations", "Mitigations", ("Mitigations",)),
        Section("tests", "Tests", ("Testing Strategy",)),
        Section("notes", "When to look at it again", ("Notes",), "occasions for another decision"),
    ),
    2: (
        Section("reasons", "Context, references", ("Context", "References"), "reasons for the rest"),
        Section("decision", "Two layers", ("Decision",)),
        Section("user", "User memory", ("Layer 1: User Memory",)),
        Section("project", "Project memory", ("Layer 2: Project Memory",)),
        Section("schema", "Fields of a user item", ("Schema", "New: `user_context` Table")),
        Section("rows", "Whose rows", ("RLS Policy",)),
        Section("extraction", "Extraction in two streams", ("Extraction Logic", "Dual-Stream Extraction")),
        Section("taxonomy", "The taxonomy", ("Taxonomy Design Rationale",)),
        Section("examples", "Examples of classing", ("Classification Examples",)),
        Section("thinking", "What a thinking role gets", ("Context Assembly", "For ThinkingPartner")),
        Section("working", "What a working role gets", ("For Work Agents",)),
        Section("use", "What a person sees", ("UX Implications", "Current State", "Future State", "Migration Path")),
        Section("consequences", "Consequences and risks", ("Consequences", "Positive", "Risks")),
        Section("privacy", "What stays when a project goes", ("Negative",)),
        Section("mitigations", "Mitigations", ("Mitigations",)),
        Section("checklist", "Checklist", ("Implementation Checklist",)),
    ),
    3: (
        Section("principles", "Principles", ("Overview",)),
        Section("tiers", "Three tiers", ("Memory Tier Architecture",)),
        Section("protocol", "The backend protocol", ("1. Memory Backend Interface", "1.1 Core Interface")),
        Section("in-memory", "The backend in memory, filters", ("1.2 InMemoryBackend Implementation",)),
        Section("task", "Task memory", ("2. Task Memory Store", "2.1 Purpose", "2.2 Design", "2.3 Cleanup Policy")),
        Section("namespace", "A project's own space", ("3.2 Namespace Design",)),
        Section("project", "Project memory", ("3. Project Memory Store", "3.1 Purpose", "3.3 Design")),
        Section("persistence", "Persistence", ("3.4 Persistence Strategy",)),
        Section("global", "Global memory", ("4. Global Memory Store", "4.1 Purpose", "4.2 Design")),
        Section("safety", "What is asked before", ("4.3 Safety Policies",)),
        Section("flow", "How a request is answered", ("5. Paging Policies", "5.1 Context Request Flow")),
        Section("shares", "Shares of the budget", ("5.2 Budget Allocation",)),
        Section("promotion", "Promotion and eviction", ("5.3 Promotion/Demotion",)),
        Section("assembler", "The assembler", ("6. Integration with ContextAssembler", "6.1 Updated ContextAssembler")),
        Section("migration", "Migration", ("7. Migration Path", "7.1 Current State", "7.2 Migration Strategy")),
        Section("file-backends", "Backends on disk", ("8. Future Enhancements", "8.1 Persistent Backends")),
        Section("vectors", "Search by meaning", ("8.2 Vector Search",)),
        Section("learned-shares", "Learned shares", ("8.3 Automatic Paging Policies",)),
        Section(
            "tests",
            "Tests",
            ("9. Testing Strategy", "9.1 Unit Tests", "9.2 Integration Tests", "9.3 Performance Tests"),
        ),
        Section("success", "What makes it a success", ("Success Criteria",)),
    ),
    4: (
        Section(
            "reasons",
            "Context, the decision, consequences, references",
            ("Context", "Decision", "Architecture", "Consequences", "References"),
            "reasons for the rest, which the sections below implement",
        ),
        Section("drivers", "What drives the decision", ("Decision Drivers",)),
        Section(
            "options",
            "Options",
            (
                "Considered Options",
                "Option A: Keep Memory V2 and tune parameters",
                "Option B: Embedding-first redesign",
                "Option C: Memory V3 with LLM extraction + LLM rerank + lifecycle intelligence",
            ),
        ),
        Section("model", "The data model", ("1) Data Model (Backward Compatible)",)),
        Section("write", "The write path", ("2) Write Path (Extraction + Upsert)",)),
        Section("read", "The read path", ("3) Read Path (Two-Phase Retrieval)",)),
        Section("lifecycle", "The life cycle", ("4) Lifecycle Path (Forgetting + Consolidation)",)),
        Section("hooks", "Active hooks", ("5) Active Memory Hooks",)),
        Section("settings", "Settings", ("Configuration Additions (Memory V3)",)),
        Section("cost", "Tokens and cost", ("Token and Cost Controls",)),
        Section("metrics", "Ten counters", ("Observability and Evaluation",)),
        Section("indicators", "Four indicators", ("Observability and Evaluation",)),
        Section("rollout", "Switches", ("Rollout Plan",)),
        Section("migration", "Migration", ("Migration Strategy",)),
        Section("risks", "Risks", ("Risks and Mitigations",)),
    ),
    5: (
        Section("problem", "The problem", ("The Problem", "Three Memory Systems")),
        Section("graph-storage", "The graph: where it is kept", ("1. Knowledge Graph (Semantic Memory)",)),
        Section("nodes", "The graph: nodes", ("1. Knowledge Graph (Semantic Memory)",)),
        Section("edges", "The graph: edges", ("1. Knowledge Graph (Semantic Memory)",)),
        Section("graph-queries", "The graph: questions", ("1. Knowledge Graph (Semantic Memory)",)),
        Section("graph-build", "The graph: how it is built", ("1. Knowledge Graph (Semantic Memory)",)),
        Section("graph-update", "The graph: how it keeps up", ("1. Knowledge Graph (Semantic Memory)",)),
        Section("episodes", "Episodes: the store", ("2. Episodic Memory (Experience Tracking)",)),
        Section("history-tables", "Episodes: what is kept", ("2. Episodic Memory (Experience Tracking)",)),
        Section("history-questions", "Episodes: questions", ("2. Episodic Memory (Experience Tracking)",)),
        Section("window", "The window: what it is", ("3. Working Memory (Dynamic Context Window)",)),
        Section("pruning", "The window: pruning", ("3. Working Memory (Dynamic Context Window)",)),
        Section("relevance", "The window: relevance", ("3. Working Memory (Dynamic Context Window)",)),
        Section("summaries", "The window: what is pruned", ("3. Working Memory (Dynamic Context Window)",)),
        Section("snapshots", "The window: snapshots", ("3. Working Memory (Dynamic Context Window)",)),
        Section("prepare", "Preparing a context", ("Intelligent Context Preparation",)),
        Section("tracked", "What is recorded", ("What to Track (Summary)", "Track Everything:")),
        Section("not-tracked", "What is not recorded", ("Don't Track:",)),
        Section("store", "The choice of the store", ("Storage Decision: DuckDB",)),
        Section(
            "timeline",
            "The plan",
            (
                "Implementation Timeline",
                "Week 3: DuckDB Episodic Memory (1 week)",
                "Week 4: Knowledge Graph Port (1 week)",
                "Week 5: Dynamic Context Management (1 week)",
            ),
        ),
        Section("market", "Comparison, next steps", ("Competitive Advantage", "Next Steps"), "no demand of its own"),
    ),
}

TESTED, WITH_GAPS, PLANNED = STATES = ("tested, no known gap", "tested, with known gaps", "planned")

MEANING = """\
- **Tested** means that at least one test names the requirement; `make check` fails unless all tests that name it
  pass. It does not mean that the whole requirement holds: a test shows the cases that it tries.
- **A known gap** is a reproduced case in which the requirement does not hold. They are listed
  [below](#known-gaps). No known gap means that no such case has been found.
- **Planned** means agreed and not built. No test names such a requirement.

Version 0.1 counted a requirement as built when any test named it, and so this page read "277 built, 0 planned".
That claim is withdrawn."""

DECIDED_OTHERWISE = (
    (1, "newest by the time of the file", "newest by the item's own date or number; file times differ between clones"),
    (1, "loading ends at the first record that does not fit", "smaller ones behind it still get their chance"),
    (1, "the agent's prompt is a template", "`prompt.md` is prose; templates are restricted and stand apart"),
    (2, "one table of a database", "a file for each item; a database is one of four backends"),
    (2, "decisions are kept as facts", "a decision is a type of its own"),
    (3, "a token is a word", "tokens are counted exactly"),
    (3, "what is evicted is deleted", "it is archived, and what a person wrote is spared"),
    (3, "each project's memory is a file in the home folder", "it lies in the project, in git"),
    (4, "the older item says what superseded it", "the newer item says so, and the older is derived"),
    (4, "an earlier version's records are upgraded", "there is none; a field that is missing has its default"),
    (5, "DuckDB is written by each event", "JSON lines are; DuckDB reads them, for those who want SQL"),
    (5, "the graph is held in memory and saved at the end", "it is an index on disk, loaded where it is asked"),
    (5, "60 % fewer tool calls", "a measurement of what is saved, whatever it shows"),
)


@dataclass(frozen=True, slots=True)
class Entry:
    """A need or a requirement, as far as the page speaks of it."""

    id: str
    title: str
    planned: str
    gaps: tuple[str, ...]
    needs: tuple[str, ...]
    tags: tuple[str, ...]
    text: str

    @property
    def state(self) -> str:
        """The word for how far it is shown."""
        if self.planned:
            return PLANNED
        return WITH_GAPS if self.gaps else TESTED


def load(kind: str) -> list[Entry]:
    """Read the items of a type that are not archived, sorted by id."""
    found = []
    for path in sorted((ITEMS / kind).glob("*.md")):
        _, front, text = path.read_text(encoding="utf-8").split("---\n", 2)
        fields = yaml.safe_load(front)
        if fields["status"] != "archived":
            needs = tuple(link["to"] for link in fields.get("links", ()))
            tags = tuple(fields.get("tags", ()))
            gaps = tuple(fields.get("gaps") or ())
            found.append(Entry(fields["id"], fields["title"], fields.get("planned") or "", gaps, needs, tags, text))
    return found


def answers(requirements: Iterable[Entry], record: int, section: Section) -> list[Entry]:
    """Return the requirements that answer a section."""
    return [each for each in requirements if f"record-{record}-{section.key}" in each.tags]


def page(needs: list[Entry], requirements: list[Entry]) -> str:
    """Return the text of the page."""
    parts = (
        _head(requirements),
        _gaps(requirements),
        _sections(requirements),
        _otherwise(),
        _all(needs, requirements),
    )
    return "\n".join(line for part in parts for line in part) + "\n"


def _head(requirements: list[Entry]) -> Iterator[str]:
    counts = [sum(each.state == state for each in requirements) for state in STATES]
    yield "# What vfcc can do, and its known gaps"
    yield ""
    yield "vfcc is built from five decision records. What they ask for is written down as requirements in the project's"
    yield "memory (`.memory/project/items/requirement/`). This page is made from those files by"
    yield "`python docs/capabilities.py`; a test holds the two equal."
    yield ""
    shown = "{} tested with no known gap, {} tested with known gaps, {} planned".format(*counts)
    yield f"{len(requirements)} requirements: {shown}."
    yield ""
    yield MEANING
    if not any(each.planned for each in requirements):
        return
    yield ""
    yield "What the planned ones wait for:"
    yield ""
    yield "| waits for | requirements |"
    yield "|---|---|"
    for what in dict.fromkeys(sorted(each.planned for each in requirements if each.planned)):
        yield f"| {what} | {sum(each.planned == what for each in requirements)} |"


def _gaps(requirements: list[Entry]) -> Iterator[str]:
    yield ""
    yield "## Known gaps"
    yield ""
    for each in requirements:
        if each.gaps:
            yield f"- {each.id}: {each.title}"
            yield from (f"    - {gap}" for gap in each.gaps)


def _sections(requirements: list[Entry]) -> Iterator[str]:
    for record, name in RECORDS.items():
        yield ""
        yield f"## Record {record}: {name}"
        yield ""
        yield f"| section | {' | '.join(STATES)} |"
        yield "|---|---|---|---|"
        for section in SECTIONS[record]:
            found = answers(requirements, record, section)
            if section.asks_nothing:
                yield f"| {section.title} | asks for nothing: {section.asks_nothing} | | |"
            else:
                cells = (", ".join(each.id for each in found if each.state == state) for state in STATES)
                yield f"| {section.title} |" + "".join(f" {cell} |" if cell else " |" for cell in cells)


def _otherwise() -> Iterator[str]:
    yield ""
    yield "## Decided otherwise"
    yield ""
    yield "Where the records differ from each other, or time has shown a better way:"
    yield ""
    yield "| record | it says | vfcc does |"
    yield "|---|---|---|"
    for record, said, done in DECIDED_OTHERWISE:
        yield f"| {record} | {said} | {done} |"


def _all(needs: list[Entry], requirements: list[Entry]) -> Iterator[str]:
    yield ""
    yield "## All of them, by what they are for"
    for need in needs:
        yield ""
        yield f"### {need.title}"
        yield ""
        yield "| requirement | what | |"
        yield "|---|---|---|"
        for each in requirements:
            if need.id in each.needs:
                yield f"| {each.id} | {each.title} | {each.state} |"


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(load("need"), load("requirement")), encoding="utf-8", newline="\n")
    sys.stdout.write(f"wrote {PAGE.relative_to(ROOT)}\n")


if __name__ == "__main__":
    main()
