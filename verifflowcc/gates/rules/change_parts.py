"""A change in parts: what it does to the product, by hunk, and the tests that it adds or alters."""

from collections.abc import Callable, Collection, Iterator, Sequence

from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.model.testcases import ScriptShape
from verifflowcc.base.records import dataclass
from verifflowcc.gates.rules.hunks import LineHunk, TestFile, TestUnit, altered_tests, hunks_of, put_back, union
from verifflowcc.gates.rules.names_kept import same_code, same_without
from verifflowcc.gates.rules.project_parts import (
    PartRules,
    ProjectPart,
    inline_lines,
    is_suite,
    part_of,
    same_text,
    with_tests_of,
)

_COMMENT = lazy_pattern(r"\s*(?://|/\*|\*|#(?!\s*(?:include|define|if|endif|else|pragma))|<!--|--\s)")


@dataclass(frozen=True, slots=True)
class FileChange:
    """A file that a change touches, with its contents on both sides; None on the side that does not have it.

    The `before` of a `mixed` file is in no commit: it is the product of before with the tests of after. Of scripts,
    `shapes` are those of before and after, as far as they are known.
    """

    path: str
    before: bytes | None
    after: bytes | None
    mixed: bool = False
    shapes: tuple[ScriptShape | None, ScriptShape | None] = (None, None)


@dataclass(frozen=True, slots=True)
class ChangeParts:
    """The parts of a change.

    `product` are files whose code differs, `tests` what to run. `nothing` says why there is nothing to prove; it is
    empty otherwise.
    """

    product: tuple[FileChange, ...]
    tests: tuple[TestFile, ...]
    nothing: str = ""

    @property
    def hunks(self) -> tuple[LineHunk, ...]:
        """What can be put back of the product one by one; most proofs need none of them, and they take long to find."""
        return tuple(hunk for file in self.product for hunk in code_hunks(file))


def split(
    changed: Sequence[FileChange],
    present: Collection[str],
    rules: PartRules,
    units_of: Callable[[str, bytes], Sequence[TestUnit]],
) -> ChangeParts:
    """Return the parts of a change; `present` are the paths of the content with it, `units_of` reads a test file."""
    parts: dict[ProjectPart, list[FileChange]] = {part: [] for part in ProjectPart}
    for file in changed:
        parts[part_of(file.path, rules)].append(file)
    inline = tuple(_inline_tests(parts[ProjectPart.PRODUCT], units_of))
    kept = tuple(map(_with_tests_kept, parts[ProjectPart.PRODUCT]))
    listed = tuple(file for file in kept if not file.mixed or file.before != file.after)
    product = tuple(file for file in listed if not _is_same(file))
    tests = _tests(parts[ProjectPart.TESTS], parts[ProjectPart.SUPPORT], present, rules, units_of, inline)
    return ChangeParts(product, tests, _nothing(listed, product, tests))


def _with_tests_kept(file: FileChange) -> FileChange:
    before = file.before if file.after is None else with_tests_of(file.path, file.before, file.after)
    return file if before == file.before else FileChange(file.path, before, file.after, mixed=True)


def _inline_tests(
    files: Sequence[FileChange], units_of: Callable[[str, bytes], Sequence[TestUnit]]
) -> Iterator[TestFile]:
    """Yield the tests that a change touches inside product files."""
    for file in files:
        places = inline_lines(file.path, file.after)
        if file.after is not None and places:
            units = [each for each in units_of(file.path, file.after) if each.first - 1 in places]
            names = altered_tests(units, hunks_of(file.path, file.before, file.after))
            if names:
                yield TestFile(file.path, names)


def code_hunks(file: FileChange) -> Iterator[LineHunk]:
    """Yield the hunks of a file that change code: none for comments and blank lines, and for what is binary."""
    for hunk in hunks_of(file.path, file.before, file.after):
        if file.path.endswith(".py") and file.before is not None and file.after is not None:
            if not same_without(file.after, hunk):
                yield hunk
            continue
        same = same_text(file.path, file.after, put_back(file.after, [hunk])) if file.after is not None else None
        if same is None:
            same = all(not line.strip() or _COMMENT.match(line) for line in (*hunk.before, *hunk.after))
        if not same:
            yield hunk


def _is_same(file: FileChange) -> bool:
    old, new = file.shapes
    if old is not None and new is not None and old.code == new.code:
        return True  # types alone, for example
    if file.before is None or file.after is None:
        return not (file.before or file.after or b"").strip()
    if file.path.endswith(".py"):
        return same_code(file.before, file.after)
    hunks = hunks_of(file.path, file.before, file.after)
    return bool(hunks) and not any(True for _ in code_hunks(file))


def _tests(
    files: Sequence[FileChange],
    support: Sequence[FileChange],
    present: Collection[str],
    rules: PartRules,
    units_of: Callable[[str, bytes], Sequence[TestUnit]],
    inline: Sequence[TestFile],
) -> tuple[TestFile, ...]:
    found, touched, helpers = list(inline), [], []
    for file in files:
        if file.after is None or _is_same(file):
            continue
        units = units_of(file.path, file.after)
        hunks = tuple(code_hunks(file))
        names = altered_tests(units, hunks)
        if not file.path.endswith(".py") and not is_suite(file.path) and not any(each.is_test for each in units):
            helpers.append(file)
        elif file.before is None:
            found.append(TestFile(file.path))
        elif names:
            found.append(TestFile(file.path, names))
        elif any(hunk.after for hunk in hunks):
            touched.append(TestFile(file.path))
    return union(found) or union((*touched, *_beside((*support, *helpers), present, rules)))


def _beside(support: Sequence[FileChange], present: Collection[str], rules: PartRules) -> Iterator[TestFile]:
    """Yield the test files in the folder of a changed fixture or snapshot, else those in the nearest folder above."""
    for file in support:
        folder = file.path.rpartition("/")[0]
        while folder:
            near = [
                path for path in present if path.startswith(f"{folder}/") and part_of(path, rules) is ProjectPart.TESTS
            ]
            if near:
                yield from (TestFile(path) for path in near)
                break
            folder = folder.rpartition("/")[0]


def _nothing(listed: Sequence[FileChange], product: Sequence[FileChange], tests: Sequence[TestFile]) -> str:
    if not listed:
        return "no product file changed"
    if not product:
        return "only comments, types or layout of the product changed"
    if not tests:
        count = len(product)
        return f"{count} product file{'' if count == 1 else 's'} changed, and no test was added or altered"
    return ""
