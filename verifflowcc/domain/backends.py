"""The kinds of backend that there are."""

from enum import StrEnum


class BackendKind(StrEnum):
    """How the items of a scope are kept."""

    MEMORY = "memory"
    FILES = "files"
    SQLITE = "sqlite"
    POSTGRES = "postgres"
