"""V-Model sprints and one committed memory, for teams that work with agents.

The names below load on first use, so that `import verifflowcc` stays as cheap as the start of a hook.
"""

__version__ = "0.1.0"

_MANAGER = ("MemoryContext", "MemoryEntry", "MemoryLayer", "MemoryManager")
_STORES = ("GlobalMemoryStore", "ProjectMemoryStore", "TaskMemoryStore")

TYPE_CHECKING = False
if TYPE_CHECKING:  # as in typing, which is too slow to import for a hook
    from verifflowcc.services.memory.stores import GlobalMemoryStore, ProjectMemoryStore, TaskMemoryStore
    from verifflowcc.services.memory_manager import MemoryContext, MemoryEntry, MemoryLayer, MemoryManager
    from verifflowcc.services.window.context_window import ContextWindow

__all__ = [
    "ContextWindow",
    "GlobalMemoryStore",
    "MemoryContext",
    "MemoryEntry",
    "MemoryLayer",
    "MemoryManager",
    "ProjectMemoryStore",
    "TaskMemoryStore",
    "__version__",
]


def __getattr__(name: str) -> object:
    if name in _MANAGER:
        import verifflowcc.services.memory_manager as manager

        return getattr(manager, name)
    if name in _STORES:
        from verifflowcc.services.memory import stores

        return getattr(stores, name)
    if name == "ContextWindow":
        from verifflowcc.services.window.context_window import ContextWindow

        return ContextWindow
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
