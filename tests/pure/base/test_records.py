"""Records are what `dataclasses` makes of the same class."""

import copy
import dataclasses
import importlib
import inspect
import pickle
import pkgutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

import pytest

import verifflowcc
from verifflowcc.base import records


def shapes(dataclass: Callable[..., Any], field: Callable[..., Any]) -> SimpleNamespace:
    """Return one class of each shape that the program has, made by these two."""

    @dataclass(frozen=True, slots=True)
    class Plain:
        name: str
        size: int = 3

        @property
        def twice(self) -> int:
            return 2 * self.size

    @dataclass(frozen=True, slots=True)
    class Child(Plain):
        size: int = 4
        more: tuple[str, ...] = ()

    @dataclass(slots=True)
    class Open:
        name: str
        found: list[str] = field(default_factory=list)
        seen: dict[str, int] = field(default_factory=dict, init=False, repr=False, compare=False)
        state: str = field(default="new", init=False)

    @dataclass(frozen=True, slots=True)
    class Derived:
        words: str
        count: int = 1
        length: int = field(init=False)

        def __post_init__(self) -> None:
            object.__setattr__(self, "length", self.count * len(self.words))

    @dataclass(frozen=True, slots=True, order=True)
    class Ordered:
        first: int
        second: str = "b"
        beside: str = field(default="", compare=False)

    @dataclass(frozen=True, slots=True)
    class Empty:
        pass

    @dataclass(frozen=True, slots=True)
    class OwnWays:
        name: str

        def __repr__(self) -> str:
            return f"<{self.name}>"

        def __eq__(self, other: object) -> bool:
            return isinstance(other, OwnWays)

        def __hash__(self) -> int:
            return 7

    return SimpleNamespace(**{name: value for name, value in locals().items() if isinstance(value, type)})


OURS, THEIRS = shapes(records.dataclass, records.field), shapes(dataclasses.dataclass, dataclasses.field)
NAMES = sorted(vars(THEIRS))
CALLS: list[tuple[tuple[object, ...], dict[str, object]]] = [
    ((), {}),
    (("a",), {}),
    (("b",), {}),
    ((1, "a"), {}),
    (("a", 5), {}),
    ((2, "x", "y"), {}),
    ((2, "x"), {}),
    (("a",), {"size": 7}),
    (("a",), {"found": ["x"]}),
    ((), {"words": "abc", "count": 2}),
    (("a", 1, ("x",), 4), {}),
    (("a",), {"unknown": 1}),
    (("a",), {"state": "old"}),
]


def _values(of: SimpleNamespace, name: str) -> list[Any]:
    """Return what each call gives: a value, or what the error says."""
    given = []
    for arguments, named in CALLS:
        try:
            given.append(getattr(of, name)(*arguments, **named))
        except TypeError as error:
            given.append(str(error))
    return given


def _seen(value: Any) -> object:
    return value if isinstance(value, str) else repr(value)


@pytest.mark.parametrize("name", NAMES)
def test_values_are_made_shown_and_compared_alike(name: str) -> None:
    ours, theirs = _values(OURS, name), _values(THEIRS, name)
    again = _values(OURS, name)

    assert [_seen(value) for value in ours] == [_seen(value) for value in theirs]
    assert [[one == other for other in again] for one in ours] == [[one == other for other in theirs] for one in theirs]
    assert [one != other for one, other in zip(ours, theirs, strict=True)] == [not isinstance(one, str) for one in ours]
    if getattr(THEIRS, name).__hash__ is None:
        assert getattr(OURS, name).__hash__ is None
    else:
        assert [hash(value) for value in ours] == [hash(value) for value in again]


@pytest.mark.parametrize("name", NAMES)
def test_what_dataclasses_says_of_a_class_is_the_same(name: str) -> None:
    ours, theirs = getattr(OURS, name), getattr(THEIRS, name)

    def said(record: Any) -> list[object]:
        return [
            [
                (each.name, each.type, repr(each.default), each.default_factory, each.init, each.repr, each.compare)
                for each in dataclasses.fields(record)
            ],
            record.__match_args__,
            record.__slots__,
            record.__doc__ or "",
            record.__name__,
            record.__qualname__,
            record.__module__,
            dataclasses.is_dataclass(record),
        ]

    expected = said(theirs)
    assert said(ours)[:3] + said(ours)[4:] == expected[:3] + expected[4:]
    assert records.field_names(ours) == tuple(each.name for each in dataclasses.fields(theirs))
    flags = ("frozen", "order")
    assert [getattr(ours.__dataclass_params__, flag) for flag in flags] == [
        getattr(theirs.__dataclass_params__, flag) for flag in flags
    ]


@pytest.mark.parametrize("name", NAMES)
def test_a_value_is_replaced_copied_and_told_as_a_mapping(name: str) -> None:
    for ours, theirs in zip(_values(OURS, name), _values(THEIRS, name), strict=True):
        if isinstance(ours, str):
            continue
        for change in ({}, {"name": "z"}, {"words": "zz"}, {"first": 9}, {"state": "z"}):
            seen = []
            for value, change_of in (
                (ours, records.replace),
                (ours, dataclasses.replace),
                (theirs, dataclasses.replace),
            ):
                try:
                    seen.append(repr(change_of(value, **change)))
                except (TypeError, ValueError) as error:
                    seen.append(type(error).__name__)
            assert len(set(seen)) == 1, seen
        assert dataclasses.asdict(ours) == dataclasses.asdict(theirs)
        assert repr(copy.copy(ours)) == repr(copy.deepcopy(ours)) == repr(ours)
        assert copy.deepcopy(ours) == ours


def test_a_frozen_value_cannot_be_changed() -> None:
    value = OURS.Plain("a")

    with pytest.raises(dataclasses.FrozenInstanceError):
        value.size = 4
    with pytest.raises(dataclasses.FrozenInstanceError):
        value.other = 4
    with pytest.raises(dataclasses.FrozenInstanceError):
        del value.size
    assert (value.size, value.twice) == (3, 6)


def test_an_open_value_has_its_fields_alone_and_no_two_share_a_list() -> None:
    value = OURS.Open("a")
    value.found.append("x")
    value.name = "b"

    assert (value.name, OURS.Open("a").found) == ("b", [])
    with pytest.raises(AttributeError):
        value.other = 1


def test_values_are_ordered_alike() -> None:
    given = [(1, "b"), (1, "a"), (2, "a"), (0, "z", "x")]

    for one in given:
        for other in given:
            ours = OURS.Ordered(*one), OURS.Ordered(*other)
            theirs = THEIRS.Ordered(*one), THEIRS.Ordered(*other)
            for compare in ("__lt__", "__le__", "__gt__", "__ge__", "__eq__"):
                assert getattr(ours[0], compare)(ours[1]) == getattr(theirs[0], compare)(theirs[1])
    assert OURS.Ordered(1).__lt__(1) is NotImplemented
    with pytest.raises(TypeError):
        OURS.Plain("a") < OURS.Plain("b")  # noqa: B015


def test_a_value_that_holds_itself_can_be_shown() -> None:
    value = OURS.Open("a")
    value.name = value

    assert "..." in repr(value)


def test_a_default_that_could_be_changed_is_refused() -> None:
    with pytest.raises(ValueError, match="the default of found can be changed: give a default_factory"):
        records.dataclass(slots=True)(type("Bad", (), {"__annotations__": {"found": list}, "found": []}))


def test_defaults_are_told_and_factories_called() -> None:
    assert records.field_defaults(OURS.Open) == {"found": [], "seen": {}, "state": "new"}
    assert records.field_defaults(OURS.Plain) == {"size": 3}
    assert [records.is_record(value) for value in (OURS.Plain("a"), THEIRS.Plain("a"), "a")] == [True, False, False]


def test_a_class_that_is_derived_without_being_a_record_makes_its_base_ready() -> None:
    made = shapes(records.dataclass, records.field)

    class Named(made.Plain):  # type: ignore[name-defined,misc]
        def __init__(self) -> None:
            super().__init__("n", 9)

    assert (Named().twice, made.Plain("a").size) == (18, 3)


def test_the_signature_is_told_once_some_values_were_made() -> None:
    for _ in range(100):
        OURS.Plain("a")

    assert list(inspect.signature(OURS.Plain).parameters) == ["name", "size"]


@records.dataclass(frozen=True, slots=True)
class Kept:
    """A record that a module has, as pickle asks."""

    name: str
    parts: tuple[int, ...] = ()


def test_a_value_goes_to_another_process_and_back() -> None:
    assert pickle.loads(pickle.dumps(Kept("a", (1, 2)))) == Kept("a", (1, 2))


def _all_records() -> Iterator[Any]:
    for module in pkgutil.walk_packages(verifflowcc.__path__, "verifflowcc."):
        if module.name != "verifflowcc.__main__":
            for value in vars(importlib.import_module(module.name)).values():
                if isinstance(value, type) and "__record_fields__" in vars(value) and value.__module__ == module.name:
                    yield value


@pytest.mark.sweep
def test_every_record_of_the_program_can_be_made_and_told() -> None:
    found = list(_all_records())
    for record in found:
        with suppress(TypeError):  # arguments are missing: what is compiled is asked for here
            record.__init__(record.__new__(record), *range(1000))  # what does not fit is for the compiled one
        told = dataclasses.fields(record)
        assert tuple(each.name for each in told if each.init) == record.__match_args__
        assert list(inspect.signature(record).parameters) == [each.name for each in told if each.init]
    assert len(found) > 500


def test_the_first_values_and_those_of_the_compiled_init_are_the_same() -> None:
    @records.dataclass(slots=True, frozen=True)
    class Buoy:
        name: str
        depth: int = 3
        marks: list[str] = records.field(default_factory=list)
        length: int = records.field(init=False, default=0)

        def __post_init__(self) -> None:
            assert self.depth > 0

    made = [Buoy("a", marks=["x"]) for _ in range(100)] + [Buoy("a", 3, ["x"])]

    assert len(set(map(repr, made))) == 1
    assert all(each == made[0] for each in made)
    assert Buoy("b").marks is not Buoy("b").marks


def test_a_wrong_call_is_refused_in_the_same_words_first_and_later() -> None:
    def refusals(values_before: int) -> list[str]:
        @records.dataclass(slots=True)
        class Gauge:
            place: str
            height: int = 0

        for _ in range(values_before):
            Gauge("pier")
        found = []
        for given, named in (((), {}), (("a", 1, 2), {}), (("a",), {"place": "b"}), (("a",), {"other": 1})):
            with pytest.raises(TypeError) as refused:
                Gauge(*given, **named)
            found.append(str(refused.value))
        return found

    assert refusals(0) == refusals(100)
