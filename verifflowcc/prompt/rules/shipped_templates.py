"""The shipped prompt templates as Python, each by the digest of its text and of the partials.

`python -m tests.shipped_templates` writes this file. A template that is not here, byte for byte, is rendered by Jinja.
"""

# ruff: noqa: PLR0912 - a branch for each `if` of a template

from collections.abc import Callable, Iterator, Mapping

from verifflowcc.prompt.rules.template_view import GroupView, PromptView


def _group_part(group: GroupView) -> Iterator[str]:
    yield f"{group.marks} {group.heading}\n\n"
    if group.fence:
        yield f"{group.fence}{group.info}\n{group.text}\n{group.fence}\n"
    else:
        yield f"{group.text}\n"
    yield "\n"


def _memory_part(page: PromptView) -> Iterator[str]:
    if page.title:
        yield f"# {page.title}\n\n"
    if page.opening:
        yield f"{page.opening}\n\n"
    if page.data_note:
        yield f"{page.data_note}\n\n"
    if page.rules:
        yield "## Project Context\n\n"
        if page.rules_note:
            yield f"{page.rules_note}\n\n"
        for group in page.rules:
            yield from _group_part(group)
    if (page.sprint or page.sprint_groups) or page.requirements:
        yield "## Current Sprint\n\n"
        if page.sprint_line:
            yield f"{page.sprint_line}\n\n"
        elif page.sprint:
            yield f"Sprint {page.sprint.id}"
            if page.sprint.title and (page.sprint.title != page.sprint.id):
                yield f": {page.sprint.title}"
            if page.sprint.status:
                yield f" ({page.sprint.status})"
            yield "\n"
            if page.sprint.goals and not page.opening:
                yield f"Goals: {'; '.join(page.sprint.goals)}\n"
            yield "\n"
        for group in page.requirements:
            yield from _group_part(group)
        for group in page.sprint_groups:
            yield from _group_part(group)
    if page.stage_groups:
        yield "## Stage Artifacts\n\n"
        for group in page.stage_groups:
            yield from _group_part(group)
    if page.memory:
        yield "## Memory\n\n"
        for group in page.memory:
            yield from _group_part(group)


def _code_part(page: PromptView) -> Iterator[str]:
    if page.code_entries:
        yield "## Code\n\nCode that matches the task. `…12-40` marks lines that are left out.\n\n"
        for entry in page.code_entries:
            yield f"### {entry.key}\n\n{entry.fence}{entry.info}\n{entry.text}\n{entry.fence}\n\n"


def _work_part(page: PromptView) -> Iterator[str]:
    if page.stage and page.stage.pair:
        yield (
            f"The stage {(page.stage.id if (page.stage.leg == 'right') else page.stage.pair)} verifies what the "
            f"stage {(page.stage.pair if (page.stage.leg == 'right') else page.stage.id)} specifies.\n\n"
        )
    for entry in page.agent_entries:
        if not entry.fence:
            yield f"{entry.text}\n\n"
    for line in page.commands:
        yield f"- {line}\n"
    if page.permission:
        yield f"- {page.permission}\n"
    for line in page.hand_in:
        yield f"- {line}\n"
    if (page.commands or page.permission) or page.hand_in:
        yield "\n"
    for group in page.agent_groups:
        yield from _group_part(group)
    if page.brief:
        yield (
            "### Before you plan\n\n"
            "Decisions and limits that share words with the task; check the plan against each:\n\n"
        )
        for line in page.brief:
            yield f"- {line}\n"
        yield "\n"


def _last_part(page: PromptView) -> Iterator[str]:
    if page.user_groups:
        yield "### The person\n\nWhat is known of the person here, on this machine only.\n\n"
        for group in page.user_groups:
            yield from _group_part(group)
    if page.history_groups:
        yield "### History\n\nWhat agents did on this machine, as their clients reported it.\n\n"
        for group in page.history_groups:
            yield from _group_part(group)
    if page.change_entries:
        yield "### Changes on this machine\n\n"
        for entry in page.change_entries:
            yield f"#### {entry.key}\n\n{entry.fence}{entry.info}\n{entry.text}\n{entry.fence}\n\n"
    if page.task_groups:
        yield "### Open task\n\nNotes from the work on the open task, on this machine only.\n\n"
        for group in page.task_groups:
            yield from _group_part(group)
    if page.task:
        yield f"### Task\n\n{page.task}\n"


def _planner(page: PromptView) -> Iterator[str]:
    yield from _memory_part(page)
    yield from _code_part(page)
    yield (
        "## Your Task\n\n"
        "The planner turns what stakeholders need into a sprint that can be validated.\n"
        "Deliver a sprint plan, the needs in scope, an acceptance plan and the known risks. Each need has at "
        "least one acceptance criterion\n"
        "that a person outside the team can check; carried-over feedback is taken in or put off with a "
        "reason.\n"
        "The acceptance plan is written now, before any design, and answered by validation. Do not choose "
        "designs or estimate from hope.\n\n"
    )
    yield from _work_part(page)
    yield from _last_part(page)


def _analyst(page: PromptView) -> Iterator[str]:
    yield from _memory_part(page)
    yield from _code_part(page)
    yield (
        "## Your Task\n\n"
        "The analyst refines needs into requirements, and writes the system test specification that will "
        "verify them.\n"
        "Each requirement is atomic and testable, names its verification method, and links to its need or "
        "carries a rationale for being derived.\n"
        "Unknowns are written as open questions, not guessed. Do not describe solutions; that is the "
        "architecture's work.\n\n"
    )
    yield from _work_part(page)
    yield from _last_part(page)


def _architect(page: PromptView) -> Iterator[str]:
    yield from _memory_part(page)
    yield from _code_part(page)
    yield (
        "## Your Task\n\n"
        "The architect divides the system into components and interfaces, and writes the integration "
        "specification that will test them.\n"
        "Each requirement is allocated to a component and each component serves a requirement; each "
        "interface names both its ends, its data and its errors.\n"
        "Choices with alternatives are recorded as decisions. Do not design the inside of a component here.\n\n"
    )
    yield from _work_part(page)
    yield from _last_part(page)


def _designer(page: PromptView) -> Iterator[str]:
    yield from _memory_part(page)
    yield from _code_part(page)
    yield (
        "## Your Task\n\n"
        "The designer divides components into units, each with a contract, its errors and the files that "
        "will hold it, and writes the unit test\n"
        "specification. A unit small enough to test alone is the goal; every branch that matters has a case "
        "in the specification.\n"
        "What contradicts the architecture goes back to it as feedback. Do not write product code here.\n\n"
    )
    yield from _work_part(page)
    yield from _last_part(page)


def _coder(page: PromptView) -> Iterator[str]:
    yield from _memory_part(page)
    yield from _code_part(page)
    yield (
        "## Your Task\n\n"
        "The coder implements the units as designed, in small changes that build and pass their tests at "
        "each step.\n"
        "Evidence to leave: a build that vfcc ran, no new findings, changed files and commits that name the "
        "items they implement.\n"
        "Where the design is wrong or silent, say so and have it changed; do not code around it, weaken a "
        "test, or claim what was not run.\n\n"
    )
    yield from _work_part(page)
    yield from _last_part(page)


def _tester(page: PromptView) -> Iterator[str]:
    yield from _memory_part(page)
    yield from _code_part(page)
    yield (
        "## Your Task\n\n"
        "The tester runs what the paired left stage specified, and shows what holds and what does not.\n"
        "Evidence to leave: machine-readable results of real runs, each test linked to the unit or "
        "requirement that it verifies, coverage where it is asked for.\n"
        "A skipped test needs a waiver, and zero tests is no pass. Do not edit the product: a failure is "
        "reported with the steps to see it again.\n\n"
    )
    yield from _work_part(page)
    yield from _last_part(page)


def _integrator(page: PromptView) -> Iterator[str]:
    yield from _memory_part(page)
    yield from _code_part(page)
    yield (
        "## Your Task\n\n"
        "The integrator puts the components together and tests each interface as the integration "
        "specification says, both ends real.\n"
        "Evidence to leave: results for every interface, with the environment and the versions they were run "
        "with.\n"
        "A failure is traced to a component or to the specification and goes back there. Do not change the "
        "product to make a test pass.\n\n"
    )
    yield from _work_part(page)
    yield from _last_part(page)


def _reviewer(page: PromptView) -> Iterator[str]:
    yield from _memory_part(page)
    yield from _code_part(page)
    yield (
        "## Your Task\n\n"
        "The reviewer judges work of others against what it should answer: the requirement, the design, the "
        "conventions.\n"
        "Deliver findings, each with place, reason and severity, then a verdict that follows from them. Name "
        "what was read and what was not.\n"
        "Do not review your own work, rewrite the artifact, or approve on a claim without evidence.\n\n"
    )
    yield from _work_part(page)
    yield from _last_part(page)


def _stakeholder(page: PromptView) -> Iterator[str]:
    yield from _memory_part(page)
    yield from _code_part(page)
    yield (
        "## Your Task\n\n"
        "The stakeholder's view: whether the result meets the need, criterion by criterion of the acceptance "
        "plan.\n"
        "Deliver, for each criterion, what was shown, by which evidence, and what is missing; then release "
        "notes in the user's words.\n"
        "Acceptance itself is a person's act. Prepare it; do not give it, and do not judge how the code is "
        "written.\n\n"
    )
    yield from _work_part(page)
    yield from _last_part(page)


def _default(page: PromptView) -> Iterator[str]:
    yield from _memory_part(page)
    yield from _code_part(page)
    yield (
        "## Your Task\n\n"
        f"The agent is {page.agent}. Work from the memory above; leave evidence that can be checked, and say "
        "what was not done.\n\n"
    )
    yield from _work_part(page)
    yield from _last_part(page)


SHIPPED: Mapping[str, Callable[[PromptView], Iterator[str]]] = {
    "sha256:ab5ce69229b7cf7262e49db66185be8ef6e17907a951e5629493f7ea7a6468a3": _planner,
    "sha256:208baa1345b37c2b0fd2b83e8da0011bc38d800a635e3bcf7ba02ed23718e5b0": _analyst,
    "sha256:11f06bb1e9c20e5d908dc55c0f7747fe85898cee447603194a841bc9e5ebf239": _architect,
    "sha256:dadabe43966343375dd90f4121da1683476f44cc149035c505dc5126d4842ecb": _designer,
    "sha256:dde5f84c5904763f0c5e15193a96761fe5967e2660e8821549e8c3f223c238fe": _coder,
    "sha256:1f70c4fb1ad6acbd0853266c343b68d55817c844d93850952eb0bab0df9eb66a": _tester,
    "sha256:9176e3e695bca7a5c59c4dccc4ba1ead9e7d24fcfd1e65e3d561855bd0c18bd4": _integrator,
    "sha256:17152bac9c87ed36d4c33b293712e558e6ecbce0a9c78bcf0d17f0f4f1047c5f": _reviewer,
    "sha256:fc5b377d98d3c34a94aa6d68efe345e5c767fad97d02b7f6cb5b86c36c8a0e35": _stakeholder,
    "sha256:25fff00ffb7d8ffbb87e92a8aacb5f4f6a7c9880267ad3d72e5e324b0c4fe721": _default,
}
