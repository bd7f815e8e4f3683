"""Any value of vfcc as JSON: what `--json` prints, and what programs get."""

from collections.abc import Mapping, Sequence
from enum import Enum
from pathlib import PurePath

from verifflowcc.records import field_names, is_record

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]


def json_text(value: object) -> str:
    """Return a value as the JSON that `--json` prints: invisible characters are escaped, secrets are withheld."""
    import json

    from verifflowcc.text.invisible import escape_invisible
    from verifflowcc.text.withholding import withhold_json

    return escape_invisible(json.dumps(withhold_json(plain(value)), indent=2, sort_keys=True, ensure_ascii=False))


def plain(value: object) -> Json:
    """Return a value as JSON can hold it: dataclasses and mappings as objects, enums by value, paths as text."""
    if isinstance(value, Enum):
        return plain(value.value)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, PurePath):
        return value.as_posix()
    if is_record(value):
        return {name: plain(getattr(value, name)) for name in field_names(value)}
    if isinstance(value, Mapping):
        return {str(plain(key)): plain(one) for key, one in value.items()}
    if isinstance(value, Sequence | set | frozenset):
        return [plain(one) for one in (sorted(value) if isinstance(value, set | frozenset) else value)]
    raise TypeError(f"{type(value).__name__} has no JSON form")
