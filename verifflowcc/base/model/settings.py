"""The description of a configuration key: its default, title and limits, from which everything else about it follows.

Validation, the JSON Schema, the reference, `vfcc config show` and the cached record read it.
"""

from verifflowcc.base.records import dataclass, field, metadata_of

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


@dataclass(frozen=True, slots=True)
class SettingRule:
    """What a key may say.

    `title` is the sentence about it. `form` names a form of `adapters/config/forms.py`; without one, the type of the
    default decides. `least` and `most` limit a whole number of some `unit`, `choices` are the values of a text. `about`
    describes the mapping below the key, and `titles` replace those of keys in it.
    """

    title: str
    form: str = ""
    least: int = 0
    most: int | None = None
    unit: str = ""
    choices: tuple[str, ...] = ()
    about: str = ""
    titles: tuple[tuple[str, str], ...] = ()


def key(default: object, title: str, form: str = "", **more: object) -> "Any":
    """Return the field of a key with its description; `more` are the other parts of `SettingRule`."""
    described = {"setting": SettingRule(title, form, **more)}  # type: ignore[arg-type]
    if isinstance(default, dict):
        return field(default_factory=default.copy, metadata=described)
    return field(default=default, metadata=described)


def settings_in(record: object) -> "Mapping[str, SettingRule]":
    """Return the description of each key of a section, in order."""
    return {name: each["setting"] for name, each in metadata_of(record).items()}
