"""V-Model sprints and one committed memory, for teams that work with agents.

The names below load on first use, so that `import verifflowcc` stays as cheap as the start of a hook.
"""

__version__ = "0.1.0"

_HOMES = {
    "ContextAssembler": "verifflowcc.prompt.use.memory_manager",
    "ContextPackage": "verifflowcc.prompt.use.memory_manager",
    "ContextRequest": "verifflowcc.prompt.use.memory_manager",
    "ContextWindow": "verifflowcc.history.use.context_window",
    "EpisodicMemory": "verifflowcc.history.use.episodic_memory",
    "FilesBackend": "verifflowcc.memory.use.backend_api",
    "GlobalMemoryStore": "verifflowcc.memory.use.task_filling",
    "InMemoryBackend": "verifflowcc.memory.use.backend_api",
    "Item": "verifflowcc.memory.use.backend_api",
    "KnowledgeGraph": "verifflowcc.code.use.graph_questions",
    "MemoryBackend": "verifflowcc.memory.use.backend_api",
    "MemoryContext": "verifflowcc.prompt.use.memory_manager",
    "MemoryEntry": "verifflowcc.prompt.use.memory_manager",
    "MemoryLayer": "verifflowcc.prompt.use.memory_manager",
    "MemoryManager": "verifflowcc.prompt.use.memory_manager",
    "ProjectMemoryStore": "verifflowcc.memory.use.task_filling",
    "Source": "verifflowcc.memory.use.backend_api",
    "SqliteBackend": "verifflowcc.memory.use.backend_api",
    "StoredItem": "verifflowcc.memory.use.backend_api",
    "TaskMemoryStore": "verifflowcc.memory.use.task_filling",
    "assemble_thinking_partner_context": "verifflowcc.prompt.use.memory_manager",
    "assemble_work_agent_context": "verifflowcc.prompt.use.memory_manager",
    "build_agent_prompt": "verifflowcc.prompt.use.memory_manager",
    "create_item": "verifflowcc.memory.use.backend_api",
    "format_combined_context": "verifflowcc.prompt.use.memory_manager",
    "get_project_blocks": "verifflowcc.prompt.use.memory_manager",
    "get_user_context": "verifflowcc.prompt.use.memory_manager",
    "open_store": "verifflowcc.memory.use.stores",
    "open_workspace": "verifflowcc.base.use.workspace",
}
"""Each public name with the module that has it."""

TYPE_CHECKING = False
if TYPE_CHECKING:  # as in typing, which is too slow to import for a hook
    from verifflowcc.base.model.entries import ContextPackage
    from verifflowcc.base.model.item_values import Item, Source
    from verifflowcc.base.model.layers import Layer as MemoryLayer
    from verifflowcc.base.model.memory_protocol import MemoryBackend, StoredItem
    from verifflowcc.base.use.workspace import open_workspace
    from verifflowcc.code.use.graph_questions import KnowledgeGraph
    from verifflowcc.history.use.context_window import ContextWindow
    from verifflowcc.history.use.episodic_memory import EpisodicMemory
    from verifflowcc.memory.store.file_backend import FilesBackend
    from verifflowcc.memory.store.in_memory import InMemoryBackend
    from verifflowcc.memory.store.sqlite_backend import SqliteBackend
    from verifflowcc.memory.use.backend_api import create_item
    from verifflowcc.memory.use.stores import open_store
    from verifflowcc.memory.use.task_filling import GlobalMemoryStore, ProjectMemoryStore, TaskMemoryStore
    from verifflowcc.prompt.use.memory_manager import (
        ContextAssembler,
        ContextRequest,
        MemoryContext,
        MemoryEntry,
        MemoryManager,
        assemble_thinking_partner_context,
        assemble_work_agent_context,
        build_agent_prompt,
        format_combined_context,
        get_project_blocks,
        get_user_context,
    )

__all__ = [
    "ContextAssembler",
    "ContextPackage",
    "ContextRequest",
    "ContextWindow",
    "EpisodicMemory",
    "FilesBackend",
    "GlobalMemoryStore",
    "InMemoryBackend",
    "Item",
    "KnowledgeGraph",
    "MemoryBackend",
    "MemoryContext",
    "MemoryEntry",
    "MemoryLayer",
    "MemoryManager",
    "ProjectMemoryStore",
    "Source",
    "SqliteBackend",
    "StoredItem",
    "TaskMemoryStore",
    "__version__",
    "assemble_thinking_partner_context",
    "assemble_work_agent_context",
    "build_agent_prompt",
    "create_item",
    "format_combined_context",
    "get_project_blocks",
    "get_user_context",
    "open_store",
    "open_workspace",
]


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(home), name)
