"""Windows to test with: items by hand, items that hypothesis draws, and a counter of words."""

from datetime import UTC, datetime, timedelta

from hypothesis import strategies as st

from verifflowcc.base.formats.event_bytes import stamp
from verifflowcc.history.rules.window_values import FileTouch, Window, WindowItem, WindowItemType

NOW = datetime(2026, 11, 21, 14, tzinfo=UTC)


def ago(minutes: float) -> str:
    """Return the time so many minutes before `NOW`."""
    return stamp(NOW - timedelta(minutes=minutes))


def item(
    name: str,
    type: WindowItemType = WindowItemType.USER_MESSAGE,
    *,
    tokens: int = 10,
    minutes: float = 0,
    relevance: int = 1000,
    task: str | None = None,
    needs: tuple[str, ...] = (),
    sticky: bool = False,
    content: str = "",
    tool_calls: bool = False,
) -> WindowItem:
    """Return an item whose content is its name, if nothing else is said."""
    return WindowItem(
        id=name,
        content=content or name,
        type=type,
        time=ago(minutes),
        tokens=tokens,
        relevance=relevance,
        task=task,
        dependencies=needs,
        sticky=sticky,
        tool_calls=tool_calls,
    )


def words(text: str) -> int:
    """Count words: a counter that a reader can follow."""
    return len(text.split())


NAMES = st.sampled_from([f"i{number}" for number in range(12)])
TASKS = st.sampled_from([None, "login", "logout"])


@st.composite
def drawn_items(draw: st.DrawFn, most_tokens: int = 500) -> tuple[WindowItem, ...]:
    """Draw items with different ids, of all types."""
    found = []
    for name in draw(st.lists(NAMES, unique=True, max_size=12)):
        kind = draw(st.sampled_from(WindowItemType))
        found.append(
            WindowItem(
                id=name,
                content=draw(st.text(max_size=20)) or name,
                type=kind,
                time=ago(draw(st.integers(-10, 600))),
                tokens=draw(st.integers(0, most_tokens)),
                relevance=draw(st.integers(0, 1000)),
                task=draw(TASKS),
                dependencies=tuple(draw(st.lists(NAMES, max_size=4))),
                sticky=draw(st.booleans()) and draw(st.booleans()),
                tool="Bash" if kind is WindowItemType.TOOL_RESULT else None,
                files=(FileTouch("a.py", lines=draw(st.sampled_from([None, (1, 2), (3, 9)]))),)
                if kind is WindowItemType.CODE_SNIPPET
                else (),
                tool_calls=kind is WindowItemType.ASSISTANT_RESPONSE and draw(st.booleans()),
                failed=kind is WindowItemType.TOOL_RESULT and draw(st.booleans()),
            )
        )
    return tuple(found)


def drawn_windows() -> st.SearchStrategy[Window]:
    """Draw windows."""
    return st.builds(
        Window,
        session=st.text(min_size=1, max_size=10),
        items=drawn_items(),
        task=TASKS,
        prunings=st.integers(0, 9),
    )
