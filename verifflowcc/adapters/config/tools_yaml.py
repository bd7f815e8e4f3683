"""A role's `tools.yaml`: what it may do with which files, as far as hooks can hold it to that."""

from collections.abc import Mapping
from pathlib import Path

from verifflowcc.adapters.config.read import read_small
from verifflowcc.domain.events import Json
from verifflowcc.errors import FormatError

_HINT = "tools: [{name: read, paths: ['**']}, {name: edit, paths: ['src/**'], never: ['src/vendor/**']}, {name: run}]"


def read_tools(path: Path, root: Path) -> dict[str, Json] | None:
    """Return `{sort: {paths, never}}` of a role's tools; None where there is no such file.

    Raises FormatError where it is not what it should be,
    WorkspaceError where it cannot be read.
    """
    data = read_small(path, path.name, inside=root)
    if data is None:
        return None
    import yaml

    try:
        value = yaml.safe_load(data.decode("utf-8-sig"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise FormatError(f"{path}:1: is no YAML: {str(error).splitlines()[0]}", hint=_HINT) from error
    listed = value.get("tools") if isinstance(value, Mapping) else None
    if not isinstance(listed, list):
        raise FormatError(f"{path}:1: names no list of tools", hint=_HINT)
    found: dict[str, Json] = {}
    for each in listed:
        name = each.get("name") if isinstance(each, Mapping) else each
        if not isinstance(name, str):
            raise FormatError(f"{path}:1: a tool has no name", hint=_HINT)
        given = each if isinstance(each, Mapping) else {}
        found[name] = {key: _patterns(given.get(key), path, f"{name}.{key}") for key in ("paths", "never")}
    return found


def _patterns(value: object, path: Path, where: str) -> list[Json]:
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise FormatError(f"{path}:1: {where} is no list of patterns", hint=_HINT)
    return [each for each in value if isinstance(each, str)]
