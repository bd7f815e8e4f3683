"""Read a file of questions whose answers are known, which a person names."""

from pathlib import Path

from verifflowcc.adapters.files.text_file import read_text
from verifflowcc.domain.labelled import Labelled
from verifflowcc.errors import ConfigError, UsageError
from verifflowcc.formats.labelled_queries import labelled_queries

_SIZE_BYTES, _VALUES = 8 << 20, 200_000


def read_labelled_file(path: Path, name: str) -> tuple[Labelled, ...]:
    """Return the questions in a YAML file; `name` is how messages call it.

    Raises UsageError where it cannot be read, FormatError with all problems, each `name:line: …`, where it is not YAML
    or no list of questions with their answers.
    """
    from verifflowcc.adapters.config.yaml_values import Limits, read_yaml

    if path.is_dir():
        raise UsageError(f"{name} is a folder; questions and their answers are a YAML file")
    plain = read_yaml(read_text(path, name), name, exact=False, limits=Limits(_SIZE_BYTES, _VALUES))
    if plain.problems:
        raise ConfigError(plain.problems)
    return labelled_queries(plain.value, plain.lines, name)
