"""What is learnt from what was done: errors and the changes after which they were gone, renames, what a session showed.

By rule alone: each names what was seen and how often. Nothing that is learnt here is believed by itself.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.history.rules.agent_history import (
    CoEdit,
    Intent,
    LearnedPattern,
    LearningType,
    PatternType,
    SessionLearning,
)
from verifflowcc.history.rules.learnt_calls import ToolCall

# What a task is for, by its words, and by whether files were changed in it where its words do not say.

_WORDS = {
    Intent.PROJECT_FIXING: """fix fixes fixed fixing bug bugs broken crash crashes crashed crashing fail fails failed
        failing failure failures error errors regression debug repair doesn't wrong traceback exception flaky""",
    Intent.CODE_WRITING: """add adding implement write writing create creating build refactor rename move replace remove
        delete change update make support extend extract port migrate bump upgrade document rewrite""",
    Intent.PROJECT_EXPLORATION: """explore exploring overview structure architecture where find search list which tour
        look around""",
    Intent.CODE_READING: """explain read review understand what how why describe summarise summarize show tell check
        analyse analyze trace""",
}
_PATTERNS = tuple((intent, re.compile(rf"(?i)\b(?:{'|'.join(words.split())})\b")) for intent, words in _WORDS.items())


def intent_of(description: str, *, edited: bool) -> Intent:
    """Return what a task is for. What is broken goes first; else the word that comes first in the text decides.

    >>> [intent_of(text, edited=False).value for text in ("Explain how to add one", "Why does it crash?", "go on")]
    ['code_reading', 'project_fixing', 'code_reading']
    """
    found = [(match.start(), intent) for intent, pattern in _PATTERNS if (match := pattern.search(description))]
    if any(intent is Intent.PROJECT_FIXING for _, intent in found):
        return Intent.PROJECT_FIXING
    if found:
        return min(found, key=lambda each: each[0])[1]
    return Intent.CODE_WRITING if edited else Intent.CODE_READING


FIXED_WITHIN_MS = 3_600_000
"""An error that is gone only after this long was solved by something else, for all that anybody knows."""
LEAST_RENAMED = 3
"""A rename in fewer places is a change as any other."""
_TOKEN = lazy_pattern(r"[A-Za-z_]\w*|\S")
_NAME = lazy_pattern(r"[A-Za-z_]\w{2,}")


def patterns(calls: Sequence[ToolCall], pairs: Iterable[CoEdit]) -> tuple[LearnedPattern, ...]:
    """Return what is learnt from calls, in order of time, and from pairs of files; by type, the most seen first."""
    found = [*map(_of_pair, pairs), *error_fixes(calls), *renames(calls)]
    return tuple(sorted(found, key=lambda each: (each.type, -each.count, each.key)))


def error_fixes(calls: Sequence[ToolCall]) -> Iterator[LearnedPattern]:
    """Yield each error that was gone after files were changed: the same command failed, and then did not."""
    seen: dict[tuple[str, tuple[str, ...]], list[ToolCall]] = defaultdict(list)
    failures: dict[str, int] = defaultdict(int)
    open_: dict[tuple[str, str, str], tuple[ToolCall, list[str]]] = {}
    for call in calls:
        while open_ and call.at_ms - (oldest := next(iter(open_.items())))[1][0].at_ms > FIXED_WITHIN_MS:
            del open_[oldest[0]]
        key = (call.session, call.tool, call.command)
        if call.changed:
            for _, files in open_.values():
                files += [path for path in call.changed if path not in files]
        if call.success is False and call.signature and not call.changed:
            failures[call.signature] += 1
            open_.pop(key, None)  # so that the first one is the oldest
            open_[key] = (call, [])
        elif call.success is True and key in open_:
            failed, files = open_.pop(key)
            if files and call.at_ms - failed.at_ms <= FIXED_WITHIN_MS:
                seen[failed.signature, tuple(sorted(files))].append(failed)
    for (signature, changed), found in seen.items():
        count = len(found)
        error = " ".join(found[-1].error.split())[:160]
        where = ", ".join(changed[:5])
        sentence = f"`{found[-1].command or found[-1].tool}` failed with “{error}”; it passed after {where} changed"
        confidence = 1000 * count // (failures[signature] + 1)
        details = (("signature", signature), ("command", found[-1].command))
        yield LearnedPattern(
            PatternType.ERROR_FIX,
            f"{signature} | {' '.join(changed)}",
            sentence,
            changed,
            confidence,
            count,
            found[0].time,
            found[-1].time,
            details,
        )


def renames(calls: Sequence[ToolCall]) -> Iterator[LearnedPattern]:
    """Yield each name that was changed to another in one task, in at least three edits and two files."""
    seen: dict[tuple[str, str, str], list[ToolCall]] = defaultdict(list)
    for call in calls:
        pair = renamed(call.given("old_string"), call.given("new_string")) if call.changed and call.task else None
        if pair and call.task:
            seen[call.task, *pair].append(call)
    for (_, old, new), found in seen.items():
        files = tuple(dict.fromkeys(path for call in found for path in call.changed))
        if len(found) < LEAST_RENAMED or len(files) < 2:
            continue
        sentence = f"{old} was renamed to {new}: {len(found)} edits in {len(files)} files, {files[0]} first"
        yield LearnedPattern(
            PatternType.REFACTOR,
            f"{old} -> {new}",
            sentence,
            tuple(sorted(files)),
            1000 * len(found) // (len(found) + 1),
            len(found),
            found[0].time,
            found[-1].time,
            (("old", old), ("new", new)),
        )


def renamed(old: str, new: str) -> tuple[str, str] | None:
    """Return the name that an edit replaced and the one in its place, where it did nothing else.

    >>> renamed("total = count(items)", "total = size(items)"), renamed("a = 1", "a = 2")
    (('count', 'size'), None)
    """
    before, after = _TOKEN.findall(old), _TOKEN.findall(new)
    if len(before) != len(after):
        return None
    pairs = {(one, other) for one, other in zip(before, after, strict=True) if one != other}
    if len(pairs) != 1:
        return None
    ((one, other),) = pairs
    return (one, other) if _NAME.fullmatch(one) and _NAME.fullmatch(other) else None


def learnings(session: str, calls: Sequence[ToolCall], tasks: Mapping[str, str]) -> tuple[SessionLearning, ...]:
    """Return what a session showed, by its calls in order of time; `tasks` are the descriptions of its tasks."""
    return (*_purposes(session, calls, tasks), *_errors(session, calls), *_workflows(session, calls))


def _purposes(session: str, calls: Sequence[ToolCall], tasks: Mapping[str, str]) -> Iterator[SessionLearning]:
    changes: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for call in calls:
        if call.task and call.task in tasks and call.success is not False:
            for path in (each for each in call.changed if not each.startswith(("/", "~"))):
                changes[path][" ".join(tasks[call.task].split())[:100]] += 1
    for path, reasons in sorted(changes.items()):
        most = max(reasons, key=lambda each: (reasons[each], each))
        confidence = 1000 * reasons[most] // (sum(reasons.values()) + 1)
        sentence = f"{path} was changed for: {most}"
        yield SessionLearning(session, LearningType.FILE_PURPOSE, path, sentence, confidence)


def _errors(session: str, calls: Sequence[ToolCall]) -> Iterator[SessionLearning]:
    failed: dict[str, list[ToolCall]] = defaultdict(list)
    for call in calls:
        if call.success is False and call.signature:
            failed[call.signature].append(call)
    for signature, found in sorted(failed.items()):
        if len(found) >= 2:
            error = " ".join(found[-1].error.split())[:160]
            sentence = f"{found[-1].command or found[-1].tool} failed {len(found)} times with “{error}”"
            confidence = 1000 * len(found) // (len(found) + 1)
            yield SessionLearning(session, LearningType.COMMON_ERROR, signature, sentence, confidence)


def _workflows(session: str, calls: Sequence[ToolCall]) -> Iterator[SessionLearning]:
    """What was run again and again after files had changed: how this project is checked."""
    after: dict[str, int] = defaultdict(int)
    changed = False
    for call in calls:
        if call.changed:
            changed = True
        elif changed and call.command:
            after[call.command] += 1
            changed = False
    for command, count in sorted(after.items()):
        if count >= 2:
            sentence = f"after changes, `{command}` was run {count} times"
            yield SessionLearning(
                session, LearningType.WORKFLOW, command, sentence, 1000 * count // (sum(after.values()) + 1)
            )


def _of_pair(pair: CoEdit) -> LearnedPattern:
    one, other = pair.files
    sentence = f"{one} and {other} are changed together: {pair.count} times in {pair.tasks} tasks"
    confidence = 1000 * pair.count // (pair.count + 1)
    return LearnedPattern(
        PatternType.CO_EDIT, f"{one} {other}", sentence, pair.files, confidence, pair.count, pair.first, pair.last
    )
