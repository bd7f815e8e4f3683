"""YAML as plain values, as the tools that wrote it read it: `true` is true, `1.0` a number."""

from collections.abc import Mapping

from verifflowcc.adapters.files.front_matter_yaml import read_yaml
from verifflowcc.errors import FormatError

MOST_ALIASES = 20
"""Values that stand for others may stand for so many that a small file fills the memory."""


def plain_yaml(path: str, text: str, line_shift: int = 0) -> Mapping[str, object]:
    """Return the mapping that a text holds; an empty one is empty.

    Raises FormatError, with `path` and line, where it is not YAML or no mapping.
    """
    import yaml

    try:
        read_yaml(text)  # bounds its depth and refuses values that hold themselves, before anything is built
        _demand_few_aliases(text)
        value = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except FormatError as error:
        line, _, reason = error.message.partition(": ")
        raise FormatError(f"{path}:{int(line) + line_shift}: {reason}") from error
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line_number = mark.line + 1 if mark else 1
        raise FormatError(f"{path}:{line_number + line_shift}: {error.problem or error.context}") from error
    except (yaml.YAMLError, ValueError) as error:
        raise FormatError(f"{path}:{1 + line_shift}: a value in it cannot be read: {error}") from error
    return {str(key): each for key, each in value.items()} if value else {}  # YAML reads `1:` and `on:` as no texts


def _demand_few_aliases(text: str) -> None:
    import yaml

    if "&" not in text or "*" not in text:
        return
    events = yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    if sum(isinstance(event, yaml.AliasEvent) for event in events) > MOST_ALIASES:
        raise FormatError(f"1: it has more than {MOST_ALIASES} aliases")
