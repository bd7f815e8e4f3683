"""Names of functions in registries: the module of `MODULE:NAME` is imported when it is first used."""

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any


def load(place: str) -> "Any":
    """Return what a place `MODULE:NAME` names."""
    module, _, name = place.partition(":")
    return getattr(__import__(module, fromlist=(name,)), name)
