"""Which searches, listings and reads a prompt had answered, by calls made by hand."""

import json
from collections.abc import Mapping, Sequence

import pytest

from verifflowcc.code.rules.code_views import Snippet
from verifflowcc.history.rules.learnt_calls import ToolCall
from verifflowcc.history.rules.saved_calls import (
    Counts,
    JudgedCall,
    Look,
    LookKind,
    MissCause,
    SavingReport,
    ShownCode,
    UnansweredCount,
    World,
    interval,
    judged,
    looks,
    saved,
    shown_by,
)

pytestmark = pytest.mark.vfcc("REQ-CALLS-SAVED")

ROOT = "/p"
CART = ("def total(cart):", "    return sum(cart)", "", "", "def empty(cart):", "    cart.clear()")
FILES = {
    "src/cart.py": CART,
    "src/shop.py": ("from src.cart import total", "", "print(total([1]))"),
    "docs/cart.md": ("The total is a sum.",),
}
PIECES = (Snippet("src/cart.py", 1, 2, "total", "\n".join(CART[:2]), 9, "", "python"),)


def world() -> World:
    code = frozenset(path for path in FILES if path.endswith(".py"))
    return World(tuple(sorted(FILES)), code, FILES.get)


def call(
    tool: str, *, session: str = "s", task: str | None = "t", changed: Sequence[str] = (), **given: object
) -> ToolCall:
    return ToolCall(session, task, 0, "", tool, json.dumps(given), True, "", "", tuple(changed), tuple(changed))


def judge(*calls: ToolCall, pieces: Sequence[Snippet] = PIECES) -> list[JudgedCall]:
    shown: Mapping[str, ShownCode] = {"t": shown_by(pieces)}
    return list(judged(calls, shown, world(), ROOT))


def shares(*calls: ToolCall) -> list[int]:
    return [each.share for each in judge(*calls)]


def test_a_read_of_lines_that_were_shown_is_answered() -> None:
    assert shares(call("Read", file_path="/p/src/cart.py", offset=1, limit=2)) == [1000]
    assert shares(call("Bash", command="sed -n '1,2p' src/cart.py")) == [1000]


def test_a_read_of_a_whole_file_is_answered_as_far_as_its_lines_were_shown() -> None:
    assert shares(call("Read", file_path="/p/src/cart.py"), call("Bash", command="cat src/cart.py")) == [500, 500]


def test_blank_lines_are_nothing_to_show() -> None:
    assert shares(call("Read", file_path="/p/src/cart.py", offset=1, limit=4)) == [1000]


def test_a_search_for_a_name_is_answered_where_its_definition_was_shown() -> None:
    found = shares(
        call("Grep", pattern="total", output_mode="content"),
        call("Grep", pattern=r"def total\("),
        call("Bash", command="grep -rn 'def total' src"),
        call("Grep", pattern="empty", output_mode="content"),
    )

    assert found == [1000, 1000, 1000, 0]


def test_a_search_for_lines_is_answered_as_far_as_they_were_shown() -> None:
    assert shares(call("Grep", pattern="cart\\)", output_mode="content")) == [666]
    assert shares(call("Grep", pattern="return sum", output_mode="content")) == [1000]


def test_a_search_that_asks_for_files_is_answered_by_their_names() -> None:
    assert shares(call("Grep", pattern="def .*cart", output_mode="files_with_matches")) == [1000]
    assert shares(call("Bash", command="grep -rl 'total' .")) == [1000]
    assert shares(call("Bash", command="grep -rl 'tota' .")) == [333]


def test_a_listing_is_answered_only_where_every_name_was_shown() -> None:
    assert shares(call("LS", path="/p/src"), call("Bash", command="ls docs")) == [500, 0]
    assert shares(call("Glob", pattern="**/car*.py"), call("Bash", command="find . -name '*.py'")) == [1000, 500]


def test_signatures_name_their_files_and_show_no_lines() -> None:
    signatures = Snippet("signatures", 1, 1, "", "src/shop.py:3 shop: def shop()\n", 9, "")
    found = judge(call("LS", path="/p/src"), call("Read", file_path="/p/src/shop.py"), pieces=(*PIECES, signatures))

    assert [each.share for each in found] == [1000, 0]


def test_why_a_call_was_not_answered_is_told() -> None:
    found = judge(
        call("Read", file_path="/etc/hosts"),
        call("Read", file_path="/p/src/gone.py"),
        call("Read", file_path="/p/docs/cart.md"),
        call("Read", file_path="/p/src/shop.py"),
        call("Write", file_path="/p/src/shop.py", changed=["src/shop.py"]),
        call("Read", file_path="/p/src/shop.py"),
        call("Grep", pattern="nobody wrote this"),
        call("Grep", pattern="(a+)+b"),
    )

    assert [each.cause for each in found] == [
        MissCause.OUTSIDE,
        MissCause.GONE,
        MissCause.NO_CODE,
        MissCause.NOT_CHOSEN,
        MissCause.WRITTEN,
        MissCause.NO_HITS,
        MissCause.NOT_RUN,
    ]


def test_what_was_written_since_the_prompt_was_answered_by_nothing_in_it() -> None:
    read = call("Read", file_path="/p/src/cart.py", offset=1, limit=2)
    edit = call("Edit", file_path="/p/src/cart.py", changed=["src/cart.py"])

    assert shares(read, edit, read) == [1000, 0]


def test_the_same_again_is_told_apart_unless_the_file_was_changed() -> None:
    read = call("Read", file_path="/p/src/shop.py")
    changed = call("Edit", file_path="/p/src/shop.py", changed=["src/shop.py"])

    assert [each.again for each in judge(read, read, changed, read)] == [False, True, False]
    assert [each.again for each in judge(read, call("Read", session="other", file_path="/p/src/shop.py"))] == [
        False
    ] * 2


def test_what_does_more_than_look_is_no_call_that_looks_around() -> None:
    calls = [
        call("Bash", command="make && cat src/cart.py"),
        call("Bash", command="cat src/cart.py > copy.py"),
        call("Edit", file_path="/p/src/cart.py"),
        call("Bash", command="echo done"),
        call("Read", task=None, file_path="/p/src/cart.py"),
    ]

    assert judge(*calls) == []


def test_brackets_mean_themselves_in_a_plain_grep() -> None:
    (plain,) = looks(call("Bash", command=r"grep -rn 'total(\|empty(' src"), ROOT)
    (extended,) = looks(call("Bash", command=r"grep -rnE 'total\(|empty\(' src"), ROOT)

    assert plain == extended == Look(LookKind.SEARCH, "src", None, r"total\(|empty\(")


def test_a_path_is_the_one_that_was_recorded() -> None:
    moved = ToolCall(
        "s", "t", 0, "", "Read", '{"file_path": "/old/place/src/cart.py"}', True, "", "", (), ("src/cart.py",)
    )

    assert looks(moved, ROOT) == (Look(LookKind.READ, "src/cart.py"),)


def test_the_sum_tells_shares_of_what_looks_around_and_of_all_calls() -> None:
    found = judge(call("Grep", pattern="total"), call("Read", file_path="/p/src/cart.py"), call("LS", path="/p/docs"))
    more = judge(call("Grep", pattern="total"), call("Grep", pattern="total"), call("Grep", pattern="total"))

    told: SavingReport = saved(found, more, Counts(8_000, 1, 10, 2))

    assert (told.total.calls, told.total.answered, told.total.partly_answered, told.total.share) == (3, 1, 1, 333)
    assert (told.share_of_all_calls, told.at_double_budget.share, told.interval) == (100, 1000, None)
    assert told.kinds["listing"].answered == 0
    assert told.causes == (UnansweredCount("code_that_was_not_chosen", 1), UnansweredCount("no_code", 1))


def test_the_interval_is_the_same_each_time_and_holds_the_share() -> None:
    found = [JudgedCall(str(number % 7), LookKind.READ, 1000 if number % 3 else 0) for number in range(210)]

    assert interval(found) == interval(list(reversed(found)))
    assert (told := interval(found)) is not None
    assert told[0] <= 666 <= told[1]
