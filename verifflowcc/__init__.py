"""V-Model sprints and one committed memory, for teams that work with agents.

The names below load on first use, so that `import verifflowcc` stays as cheap as the start of a hook.
"""

__version__ = "0.1.0"

_PUBLIC = ("MemoryContext", "MemoryEntry", "MemoryLayer", "MemoryManager")

TYPE_CHECKING = False
if TYPE_CHECKING:  # as in typing, which is too slow to import for a hook
    from verifflowcc.services.memory_manager import MemoryContext, MemoryEntry, MemoryLayer, MemoryManager

__all__ = ["MemoryContext", "MemoryEntry", "MemoryLayer", "MemoryManager", "__version__"]


def __getattr__(name: str) -> object:
    if name in _PUBLIC:
        import verifflowcc.services.memory_manager as api

        return getattr(api, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
