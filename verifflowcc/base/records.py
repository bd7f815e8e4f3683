"""Classes of values with slots, as `dataclasses` makes them, at a small share of what those cost to import.

`dataclasses` writes and compiles the methods of each class where it is defined, half a millisecond each, and there are
hundreds; most commands use a few, and make few values of each. Here `__init__` is compiled when some values have been
made without it, and the other methods are shared. Type checkers see `dataclasses` itself; its `fields`, `replace` and
`asdict` work on these classes.

Not here, because nothing needs it: `ClassVar`, `InitVar`, fields that are given by keyword alone.
"""

TYPE_CHECKING = False


"""As `typing` has it; a short command does without that module."""

__all__ = ["dataclass", "field", "field_defaults", "field_names", "is_record", "metadata_of", "replace"]


def is_record(value: object) -> bool:
    """Say whether a value is of such a class."""
    return hasattr(type(value), "__record_fields__")


def field_names(record: object) -> tuple[str, ...]:
    """Return the names of the fields of such a class, or of a value of it, in order."""
    return tuple(record.__record_fields__)  # type: ignore[attr-defined]


def field_defaults(record: type) -> dict[str, object]:
    """Return the defaults of the fields of such a class that have one, by name, in order; a factory is called."""
    return {
        name: each.default if each.default_factory is _NONE else each.default_factory()
        for name, each in record.__record_fields__.items()  # type: ignore[attr-defined]
        if each.has_default
    }


def metadata_of(record: object) -> dict[str, "dict[str, Any]"]:
    """Return the metadata of each field of such a class, or of a value of it, that has some."""
    fields = record.__record_fields__  # type: ignore[attr-defined]
    return {name: each.metadata for name, each in fields.items() if each.metadata}


_NONE = object()
_FEW = 80
"""So many values of a class are made before `__init__` is compiled: that takes as long as to make eighty without it."""

if TYPE_CHECKING:
    from dataclasses import dataclass, field, replace
    from typing import Any
else:
    from operator import attrgetter
    from reprlib import recursive_repr

    class _Field:
        """The options of one field. `default_factory` is called for each value."""

        __slots__ = ("compare", "default", "default_factory", "init", "metadata", "repr")

        def __init__(self, default=_NONE, default_factory=_NONE, init=True, repr=True, compare=True, metadata=None):
            self.metadata = metadata
            self.default = default
            self.default_factory = default_factory
            self.init = init
            self.repr = repr
            self.compare = compare

        @property
        def has_default(self):
            return self.default is not _NONE or self.default_factory is not _NONE

    def field(*, default=_NONE, default_factory=_NONE, init=True, repr=True, compare=True, metadata=None):
        """As `dataclasses.field`."""
        return _Field(default, default_factory, init, repr, compare, metadata)

    def dataclass(*, slots, frozen=False, order=False):
        """As `dataclasses.dataclass` with `slots=True`: the class that is returned is a new one."""
        assert slots
        return lambda cls: _record(cls, frozen, order)

    def replace(value, /, **changes):
        """As `dataclasses.replace`."""
        for name, each in value.__record_fields__.items():
            if not each.init and name in changes:
                raise ValueError(f"{name} is not given when a value is made, so it cannot be replaced")
            if each.init and name not in changes:
                changes[name] = getattr(value, name)
        return type(value)(**changes)

    def _record(cls, frozen, order):
        inherited, fields = set(), {}
        for base in cls.__mro__[-1:0:-1]:
            inherited.update(base.__dict__.get("__slots__", ()))
            fields |= base.__dict__.get("__record_fields__", {})
        space = {name: value for name, value in cls.__dict__.items() if name not in ("__dict__", "__weakref__")}
        own = space.get("__annotations__", {})
        for name in own:
            given = space.pop(name, _NONE)
            fields[name] = given if isinstance(given, _Field) else _Field(given)
            if type(fields[name].default).__hash__ is None:
                raise ValueError(f"the default of {name} can be changed: give a default_factory")
        init, owner = _first_init()
        made = {
            "__record_fields__": fields,
            "__record_frozen__": frozen,
            "__slots__": tuple([name for name in own if name not in inherited]),
            "__match_args__": tuple([name for name, each in fields.items() if each.init]),
            "__init__": init,
            "__repr__": _repr,
            "__eq__": _eq,
            "__hash__": _hash if frozen else None,
            "__dataclass_fields__": _FIELDS,
            "__dataclass_params__": _PARAMETERS,
        }
        if order:
            made |= {"__lt__": _lt, "__le__": _le, "__gt__": _gt, "__ge__": _ge}
        if frozen:
            made |= {"__setattr__": _refuse_to_set, "__delattr__": _refuse_to_delete}
            made |= {"__getstate__": _getstate, "__setstate__": _setstate}
        compared = [name for name, each in fields.items() if each.compare]
        made["__record_values__"] = attrgetter(*compared) if compared else _no_values
        space["__qualname__"] = cls.__qualname__
        owner.append(type(cls)(cls.__name__, cls.__bases__, made | space))
        return owner[0]

    def _first_init():
        """Return an `__init__` that fills the first values of a class, and then gives way to the compiled one.

        The class that it is of is put into what it has as `owner`, once that is there.
        """
        plan, owner, made = [], [], 0

        def fill(self, *given, **named):
            nonlocal made
            made += 1
            if not plan:
                plan.extend(_plan(owner[0]))
            put, defaults, others, after = plan
            values = given if len(given) == len(put) and not named else _with_defaults(given, named, defaults)
            if values is None or made > _FEW:
                _compiled_init(owner[0])(self, *given, **named)  # it says what does not fit
                return
            for each, value in zip(put, values):  # noqa: B905 - as many
                each(self, value)
            for each, value, factory in others:
                each(self, value if factory is _NONE else factory())
            if after:
                self.__post_init__()

        return fill, owner

    def _plan(record):
        """Return how the fields that are given are set; name, default and factory of each; the others; what follows."""
        fields = [(getattr(record, name).__set__, name, each) for name, each in record.__record_fields__.items()]
        given = [each for each in fields if each[2].init]
        has_value = [(put, each) for put, _, each in fields if not each.init]
        return (
            [put for put, _, _ in given],
            [(name, each.default, each.default_factory) for _, name, each in given],
            [(put, each.default, each.default_factory) for put, each in has_value if each.has_default],
            hasattr(record, "__post_init__"),
        )

    def _with_defaults(given, named, defaults):
        """Return a value for each field; None where what is given does not fit."""
        found, left = [*given], len(named)
        if len(given) > len(defaults):
            return None
        for name, default, factory in defaults[len(given) :]:
            if name in named:
                found.append(named[name])
                left -= 1
            elif default is not _NONE:
                found.append(default)
            elif factory is not _NONE:
                found.append(factory())
            else:
                return None
        return None if left else found

    def _compiled_init(record):
        space, parameters, lines = {"_NONE": _NONE}, ["self"], ["pass"]
        for name, each in record.__record_fields__.items():
            value = name
            if each.default_factory is not _NONE:
                space[f"_make_{name}"] = each.default_factory
                value = f"_make_{name}()"
                if each.init:
                    parameters.append(f"{name}=_NONE")
                    value = f"{value} if {name} is _NONE else {name}"
            elif each.default is not _NONE:
                space[f"_default_{name}"] = each.default
                if each.init:
                    parameters.append(f"{name}=_default_{name}")
                else:
                    value = f"_default_{name}"
            elif each.init:
                parameters.append(name)
            else:
                continue
            if record.__record_frozen__:
                space[f"_set_{name}"] = getattr(record, name).__set__
                lines.append(f"_set_{name}(self, {value})")
            else:
                lines.append(f"self.{name} = {value}")
        if hasattr(record, "__post_init__"):
            lines.append("self.__post_init__()")
        exec(f"def __init__({', '.join(parameters)}):\n " + "\n ".join(lines), space)
        init = space["__init__"]
        init.__qualname__ = f"{record.__qualname__}.__init__"
        init.__module__ = record.__module__
        record.__init__ = init
        return init

    def _no_values(_):
        return ()

    def _values(value):
        """The value of the one field that is compared, or those of all, in order."""
        return type(value).__record_values__(value)

    @recursive_repr()
    def _repr(self):
        shown = [f"{name}={getattr(self, name)!r}" for name, each in self.__record_fields__.items() if each.repr]
        return f"{type(self).__qualname__}({', '.join(shown)})"

    def _hash(self):
        return hash(_values(self))

    def _eq(self, other):
        return _values(self) == _values(other) if type(other) is type(self) else NotImplemented

    def _lt(self, other):
        return _values(self) < _values(other) if type(other) is type(self) else NotImplemented

    def _le(self, other):
        return _values(self) <= _values(other) if type(other) is type(self) else NotImplemented

    def _gt(self, other):
        return _values(self) > _values(other) if type(other) is type(self) else NotImplemented

    def _ge(self, other):
        return _values(self) >= _values(other) if type(other) is type(self) else NotImplemented

    def _refuse_to_set(self, name, _):
        from dataclasses import FrozenInstanceError

        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def _refuse_to_delete(self, name):
        from dataclasses import FrozenInstanceError

        raise FrozenInstanceError(f"cannot delete field {name!r}")

    def _getstate(self):
        return [getattr(self, name) for name in self.__record_fields__]

    def _setstate(self, state):
        for name, value in zip(self.__record_fields__, state, strict=True):
            getattr(type(self), name).__set__(self, value)

    class _WhenAsked:
        """What `dataclasses` keeps with its classes: made, and put in the place of this, when it is looked at."""

        def __init__(self, name):
            self.name = name

        def __get__(self, _, record):
            record = next(each for each in record.__mro__ if each.__dict__.get(self.name) is self)
            import dataclasses
            import inspect

            space = {"__annotations__": {}}
            for base in record.__mro__[::-1]:
                space["__annotations__"] |= inspect.get_annotations(base)
            for name, each in record.__record_fields__.items():
                given = {"default": each.default, "default_factory": each.default_factory}
                given = {key: value for key, value in given.items() if value is not _NONE}
                more = {"init": each.init, "repr": each.repr, "compare": each.compare, "metadata": each.metadata}
                space[name] = dataclasses.field(**given, **more)
            frozen, order = record.__record_frozen__, "__lt__" in record.__dict__
            peer = dataclasses.dataclass(frozen=frozen, order=order)(type(record.__name__, (), space))
            record.__dataclass_params__ = peer.__dataclass_params__
            record.__dataclass_fields__ = peer.__dataclass_fields__
            return getattr(record, self.name)

    _FIELDS, _PARAMETERS = _WhenAsked("__dataclass_fields__"), _WhenAsked("__dataclass_params__")
