"""What each name in a template stands for, read from the annotations of the views.

A shape decides what may be done with a value. Lines are short, so that any listed operation on one costs little; bodies
may be large, so that they can only be printed, measured and asked whether they are empty.
"""

import types
import typing
from dataclasses import fields
from enum import IntEnum
from functools import cache

from verifflowcc.context.view import Body, PromptView
from verifflowcc.records import dataclass


class Kind(IntEnum):
    """Sorts of value; where two meet (`a or b`), the greater one is what the result is taken for."""

    FLAG = 0
    NUMBER = 1
    LINE = 2
    BODY = 3
    RECORD = 4
    LIST = 5


@dataclass(frozen=True, slots=True)
class Shape:
    """A value's kind; a record's attributes come from `record`, a list's items have the shape `item`."""

    kind: Kind
    record: type | None = None
    item: "Shape | None" = None


FLAG, NUMBER, LINE, BODY = (Shape(kind) for kind in (Kind.FLAG, Kind.NUMBER, Kind.LINE, Kind.BODY))
LOOP = {"first": FLAG, "last": FLAG, "index": NUMBER, "index0": NUMBER, "length": NUMBER}


class Loop:
    """Stands for the type of `loop`."""


def shape_of(annotation: object) -> Shape:
    """Return the shape of a field from its annotation.

    >>> shape_of(tuple[str, ...]).item.kind.name
    'LINE'
    """
    if annotation == Body:
        return BODY
    if isinstance(annotation, types.UnionType):
        (inner,) = (each for each in typing.get_args(annotation) if each is not types.NoneType)
        return shape_of(inner)
    if typing.get_origin(annotation) is tuple:
        return Shape(Kind.LIST, item=shape_of(typing.get_args(annotation)[0]))
    plain = {str: LINE, int: NUMBER, bool: FLAG}
    if annotation in plain:
        return plain[annotation]
    return Shape(Kind.RECORD, record=typing.cast(type, annotation))


@cache
def attributes(record: type) -> dict[str, Shape]:
    """Return the attributes of a view that a template may read, by name."""
    if record is Loop:
        return LOOP
    return {each.name: shape_of(each.type) for each in fields(record)}


@cache
def supplied() -> dict[str, Shape]:
    """Return the names at the top of a template."""
    return attributes(PromptView)
