"""How proofs are shown: a table with its reasons, Markdown for a pull request, SARIF."""

from collections.abc import Iterator

from verifflowcc import __version__
from verifflowcc.base.model.gate_values import Mode
from verifflowcc.base.model.trace_values import Finding, TraceReport
from verifflowcc.base.terminal.output import folded
from verifflowcc.base.terminal.table import table
from verifflowcc.gates.cli.gate_output import HANG
from verifflowcc.gates.rules.proof_verdicts import PROVE, ProofVerdict, TestVerdict
from verifflowcc.gates.use.canary import Canaries, CanaryProof, Trial
from verifflowcc.gates.use.proof import ChangeProof, Proof, Unguarded, counted
from verifflowcc.gates.use.rerun import RED, Reproduction

# How canaries are shown to a person: each criterion, what was planted, and whether it was seen.

# How a second run is shown to a person.


def reproduction(found: Reproduction) -> str:
    """Return one line for each piece of evidence and each word of a person, and the sum."""
    lines = []
    for row in found.rows:
        colour = "RED  " if row.result in RED else "     "
        by = f" ({row.evidence})" if row.evidence else ""
        lines.append(f"{colour}{row.stage}/{row.criterion}: {row.result}: {row.reason}{by}")
        lines += [f"       note: {note}" for note in row.notes]
        if row.step:
            lines.append(f"       → {row.step}")
    for one in found.people:
        written = f"; written by {', '.join(one.authors)}" if one.authors else ""
        lines.append(
            f"{'     ' if one.vouched else 'RED  '}{one.decision} by {one.actor}{written}: {one.reason} ({one.event})"
        )
        if one.step:
            lines.append(f"       → {one.step}")
    red = sum(row.result in RED for row in found.rows) + sum(not one.vouched for one in found.people)
    total = len(found.rows) + len(found.people)
    lines.append(f"{found.sprint}: {red} of {total} are red" if red else f"{found.sprint}: none of {total} is red")
    return "\n".join(lines)


def proofs(proved: Canaries) -> str:
    """Return each criterion with the violations that were planted for it, and what its command did in a copy."""
    lines = [f"{proved.sprint}/{proved.stage}: a violation for each criterion, in a scratch copy"]
    for proof in proved.proofs:
        lines += _proof(proof)
    lines += [f"  off      {name}: it is never asked" for name in proved.off]
    lines += [_trial(trial) for trial in proved.trials]
    return "\n".join([*lines, _sum(proved)])


def _sum(proved: Canaries) -> str:
    bad = sum(not one.sound for one in proved.proofs) + sum(bool(one.still_met) for one in proved.trials)
    doubts = sum(not one.planted for one in proved.proofs) + sum(bool(one.doubt) for one in proved.trials)
    if bad:
        return f"{bad} cannot fail: correct the workflow, or the command"
    return f"nothing was found that cannot fail; {doubts} unknown" if doubts else "every criterion can close its gate"


def _proof(proof: CanaryProof) -> list[str]:
    if not proof.planted:
        return [f"  unknown  {proof.criterion}: no stage before has left anything that could be taken away"]
    soft = " (soft: recorded only)" if proof.mode is Mode.SOFT else ""
    lines = [f"  {'closes' if proof.sound else 'DEFECT':7}  {proof.criterion}{soft}"]
    for one in proof.planted:
        seen = f"seen: {one.reason}" if one.closed else f"NOT SEEN: {one.reason}"
        lines.append(folded(f"{'':{HANG}}{one.violation}: {seen}", HANG + 2))
    return lines


def _trial(trial: Trial) -> str:
    if trial.doubt:
        return f"  unknown  the command {trial.command}: {trial.doubt}"
    if trial.still_met:
        met = ", ".join(trial.still_met)
        return f"  DEFECT   the command {trial.command}: with its inputs spoilt, {met} is still met"
    ended = "did not end" if trial.spoilt is None else f"ended with {trial.spoilt}"
    return f"  closes   the command {trial.command}: with its inputs spoilt it {ended}, and nothing is met"


_HEADINGS = ("change", "verdict", "tests", "unguarded", "time", "subject")
_MOST_TESTS = 12
_MOST_PLACES = 12


def text(proof: Proof) -> str:
    """Return a table of the changes, then the reasons of those that are not proven in every part."""
    rows = [
        (each.change, str(each.verdict), tests_cell(each), lines_cell(each), _seconds(each), each.subject)
        for each in proof.changes
    ]
    lines = [table(_HEADINGS, rows, right=(4,)) if rows else "no change to prove"]
    for each in proof.changes:
        lines += ["", *details(each)] if _asks_for_words(each) else []
    if proof.remaining:
        lines += ["", f"{proof.remaining} changes were not tried: the time is used up. Run it again to go on."]
    return "\n".join((*lines, "", *(f"note: {each}" for each in notes(proof)), summary(proof)))


def notes(proof: Proof) -> tuple[str, ...]:
    """Return what scratch trees had otherwise than a checkout would, each once."""
    return tuple(dict.fromkeys(note for each in proof.changes for note in each.notes))


def details(proof: ChangeProof) -> Iterator[str]:
    """Yield why a change has its verdict, its tests, and the lines that no test needs."""
    yield f"{proof.change}: {sentence(proof)}"
    shown = [each for each in proof.tests if each.verdict is not ProofVerdict.PROVEN]
    for each in shown[:_MOST_TESTS]:
        yield f"  {each.verdict}: {each.test} {each.why}"
    if len(shown) > _MOST_TESTS:
        yield f"  and {len(shown) - _MOST_TESTS} more tests"
    if proof.unguarded and proof.verdict is ProofVerdict.PROVEN:
        yield f"  {lines_cell(proof)} could be put back and every test of the change would still pass:"
    elif proof.unguarded:
        yield "  the change:"
    for place in proof.unguarded[:_MOST_PLACES]:
        yield f"    {_place(place)}"
    if len(proof.unguarded) > _MOST_PLACES:
        yield f"    and {len(proof.unguarded) - _MOST_PLACES} more places"
    if proof.not_tried:
        yield f"  not tried, for lack of runs or time: {counted(proof.not_tried, 'hunk')} (--runs, --time)"


def sentence(proof: ChangeProof) -> str:
    """Return the verdict on a change in a sentence without a stop."""
    count = len(proof.tests)
    if proof.verdict is ProofVerdict.NOT_DISCRIMINATING:
        still = "its test still passes" if count == 1 else f"all {count} tests still pass"
        return f"not discriminating: with the change removed, {still}"
    if proof.verdict is ProofVerdict.PROVEN:
        red = sum(each.verdict is ProofVerdict.PROVEN for each in proof.tests)
        return f"proven: red without the change, green with it: {red} of {counted(count, 'test')}"
    return f"{proof.verdict}: {proof.why}" if proof.why else str(proof.verdict)


def summary(proof: Proof) -> str:
    """Return how many changes have each verdict."""
    counts = {verdict: sum(each.verdict is verdict for each in proof.changes) for verdict in ProofVerdict}
    parts = [f"{count} {verdict}" for verdict, count in counts.items() if count]
    return f"{counted(len(proof.changes), 'change')}: {', '.join(parts)}" if parts else "0 changes"


def markdown(proof: Proof) -> str:
    """Return the proofs as Markdown: a table, and the reasons below it."""
    lines = [f"**vfcc prove**: {summary(proof)}", "", "| change | verdict | tests | unguarded | subject |"]
    lines.append("|---|---|---|---|---|")
    for each in proof.changes:
        cells = (f"`{each.change}`", str(each.verdict), tests_cell(each), lines_cell(each), _cell(each.subject))
        lines.append(f"| {' | '.join(cells)} |")
    for each in proof.changes:
        if _asks_for_words(each):
            first, *rest = details(each)
            lines += ["", f"**{_cell(first)}**", "", "```text", *(line.replace("```", "'''") for line in rest), "```"]
    for note in notes(proof):
        lines += ["", f"Note: {_cell(note)}"]
    return "\n".join(lines)


def sarif(proof: Proof) -> str:
    """Return the proofs as a SARIF log."""
    from verifflowcc.trace.rules.findings_formats import sarif_text

    findings = []
    top = f"{proof.folder}/" if proof.folder else ""
    for change in proof.changes:
        for code, place, line, message in _findings(change):
            path = f"{top}{place}" if place else ""  # code scanning counts paths from the repository's top
            check = PROVE.checks[code]
            about = f"{change.change}|{path}|{message if code != 'unguarded-lines' else line}"
            findings.append(Finding(code, check.family, check.severity, "", "", path, line, message, about=about))
    return sarif_text(TraceReport(tuple(findings), (), {}), __version__, "", PROVE)


_CODES = {
    ProofVerdict.BROKEN: "broken-test",
    ProofVerdict.NOT_DISCRIMINATING: "not-discriminating",
    ProofVerdict.INCONCLUSIVE: "inconclusive",
}


def _findings(proof: ChangeProof) -> Iterator[tuple[str, str, int, str]]:
    if proof.verdict is ProofVerdict.INCONCLUSIVE and not proof.tests:
        yield "inconclusive", "", 1, f"{proof.change}: {proof.why}"
    for each in proof.tests:
        if each.verdict in _CODES:
            weak = proof.verdict is ProofVerdict.PROVEN and each.verdict is ProofVerdict.NOT_DISCRIMINATING
            code = "weak-test" if weak else _CODES[each.verdict]
            yield code, each.test.partition("::")[0], each.line, f"{each.test} {each.why}"
    if proof.verdict is ProofVerdict.PROVEN:
        for place in proof.unguarded:
            words = f"{counted(place.size, 'changed line')} could be put back and every test of the change would pass"
            yield "unguarded-lines", place.path, place.first, words


def tests_cell(proof: ChangeProof) -> str:
    """Return how many tests of a change are proven, of how many."""
    red = sum(each.verdict is ProofVerdict.PROVEN for each in proof.tests)
    return f"{red} of {len(proof.tests)}" if proof.tests and proof.verdict is not ProofVerdict.NOTHING else ""


def lines_cell(proof: ChangeProof) -> str:
    """Return how many changed lines no test needs."""
    size = sum(each.size for each in proof.unguarded)
    return counted(size, "line") if size else ""


def _asks_for_words(proof: ChangeProof) -> bool:
    partly = bool(proof.unguarded or proof.not_tried or any(_is_weak(each) for each in proof.tests))
    return proof.verdict is not ProofVerdict.NOTHING and (proof.verdict is not ProofVerdict.PROVEN or partly)


def _is_weak(test: TestVerdict) -> bool:
    return test.verdict is not ProofVerdict.PROVEN


def _place(place: Unguarded) -> str:
    lines = str(place.first) if place.first == place.last else f"{place.first}-{place.last}"
    return f"{place.path}:{lines}"


def _seconds(proof: ChangeProof) -> str:
    return f"{proof.duration_ms / 1000:.1f} s"


def _cell(words: str) -> str:
    return words.replace("|", "\\|").replace("<", "&lt;")
