"""Which files of `.memory/` a prompt shows as sentences, and how their texts are read for that."""

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase

from verifflowcc.adapters.files.layout import MEMORY
from verifflowcc.context.data_sentences import VERSION, context_text, listed_tools, progress_text, tools_text
from verifflowcc.context.permission import permission_text
from verifflowcc.domain.events import Json
from verifflowcc.errors import ConfigError

_TOOLS = f"{MEMORY}/agent/*/tools.yaml"
_TEXTS = {f"{MEMORY}/sprint/*/progress.json": progress_text, f"{MEMORY}/agent/*/context.json": context_text}


def data_kind(path: str) -> str:
    """Return a name for how the text of a file is shown, which changes with the sentences; empty for other files."""
    known = any(fnmatchcase(path, pattern) for pattern in (_TOOLS, *_TEXTS))
    return f"{path.rpartition('/')[2]}-{VERSION}" if known else ""


def prompt_text(path: str, text: str) -> str:
    """Return the text of a file as prompts show it."""
    if fnmatchcase(path, _TOOLS):
        return _tools(path, text)
    found = next((each for pattern, each in _TEXTS.items() if fnmatchcase(path, pattern)), None)
    return found(text) if found else text


def _tools(path: str, text: str) -> str:
    from verifflowcc.adapters.config.tools_yaml import parse_tools
    from verifflowcc.adapters.config.yaml_values import load_yaml

    data = text.encode()
    try:
        value, _ = load_yaml(data, path)
    except ConfigError:
        return text
    table, problems = parse_tools(data, path)
    listed = listed_tools(value)
    if problems or listed is None:
        return text
    # Of version 1 the table lacks what hooks cannot hold a role to: the commands that it may run.
    return tools_text(text, value, permission_text({**table, **_rules(table, listed)}))


def _rules(table: Mapping[str, Json], listed: Mapping[str, Mapping[str, Sequence[str]]]) -> dict[str, Json]:
    found: dict[str, Json] = {}
    for name, rule in listed.items():
        known = table.get(name)
        found[name] = {
            **(known if isinstance(known, dict) else {}),
            **{key: list(words) for key, words in rule.items()},
        }
    return found
