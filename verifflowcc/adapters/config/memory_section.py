"""The shape of the section `memory` of `config.yaml`: how typed items are kept, and how many a role is offered.

Where a server is, and how a person's own items are kept, is never said here: a project names no server.
"""

from typing import Annotated, Literal

from pydantic import Field, WithJsonSchema, model_validator

from verifflowcc.adapters.config.memory_life_section import (
    ActiveSection,
    ConsolidationSection,
    EmbeddingsSection,
    ExpansionSection,
    LifecycleSection,
    RerankSection,
    ScopeSection,
)
from verifflowcc.adapters.config.patterns import ROLE, role_problem
from verifflowcc.adapters.config.section import Section, obeys, sentence
from verifflowcc.adapters.config.window_section import WindowSection
from verifflowcc.domain.backends import BackendKind
from verifflowcc.domain.config import (
    MAX_ITEMS,
    THINKING,
    THINKING_ROLES,
    WORKING,
    Assembly,
    ExtractionMode,
    MemorySettings,
    ScopeMode,
    SecretScanner,
    SpeakerTrust,
    Stale,
)
from verifflowcc.domain.item_types import USER_TYPES, ScopeKind
from verifflowcc.text.near import nearest

PROJECT_BACKENDS = ("files", "sqlite", "postgres")
TASK_BACKENDS = ("files", "sqlite")
MOST_ITEMS = 1_000_000
MOST_CALLS = 100


def _type_problem(name: str) -> str | None:
    if name in USER_TYPES:
        return None
    near = nearest(name, USER_TYPES)
    ask = f"did you mean {near}?" if near else f"the types are {', '.join(USER_TYPES)}"
    return f"is no type of user items; {ask}"


RoleName = Annotated[str, obeys(role_problem), WithJsonSchema({"type": "string", "pattern": ROLE})]
UserType = Annotated[str, obeys(_type_problem), WithJsonSchema({"type": "string", "enum": [*USER_TYPES]})]
SpeakerName = Annotated[str, Field(min_length=1, max_length=80)]
Items = Annotated[int, Field(ge=0, le=MOST_ITEMS)]


class BackendsSection(Section):
    """How the items of each scope are kept."""

    project: Literal["files", "sqlite", "postgres"] = Field(
        default="files", description="The project's items: files (in git), sqlite, or postgres for an organisation."
    )
    task: Literal["files", "sqlite"] = Field(default="files", description="The items of open tasks.")


class AssemblySection(Section):
    """How many typed items a kind of role is offered."""

    user_items: Items
    project_items: Items
    user_types: list[UserType] | None

    def assembly(self) -> Assembly:
        """Return the numbers as the program uses them."""
        types = None if self.user_types is None else tuple(self.user_types)
        return Assembly(self.user_items, self.project_items, types)


def _types(given: Assembly) -> list[UserType] | None:
    return None if given.user_types is None else [*given.user_types]


class ThinkingSection(AssemblySection):
    """What a thinking role is offered: much of what is known of the person, and the project's items."""

    user_items: Items = Field(default=THINKING.user_items, description="The most user items; 0 leaves them out.")
    project_items: Items = Field(default=THINKING.project_items, description="The most items of the project.")
    user_types: list[UserType] | None = Field(
        default=_types(THINKING), description="The types of user items; all where it is left out."
    )


class WorkingSection(AssemblySection):
    """What a working role is offered: the project's items, and of the person the style."""

    user_items: Items = Field(default=WORKING.user_items, description="The most user items; 0 leaves them out.")
    project_items: Items = Field(default=WORKING.project_items, description="The most items of the project.")
    user_types: list[UserType] | None = Field(default=_types(WORKING), description="The types of user items.")


class AssembliesSection(Section):
    """How many typed items roles are offered; a role that is not named a thinking one is a working one."""

    thinking_roles: list[RoleName] = Field(
        default=[*THINKING_ROLES], description="The roles that plan and decide; all others work."
    )
    thinking: ThinkingSection = Field(
        default_factory=ThinkingSection, description="Items that are offered to a thinking role."
    )
    working: WorkingSection = Field(
        default_factory=WorkingSection, description="Items that are offered to a working role."
    )


class MemorySection(Section):
    """How typed items are kept, how many of them a role is offered, how they are learned, and how long they live."""

    enabled: bool = Field(default=True, description="Whether prompts draw on @recall, @task, @code and @user.")
    backends: BackendsSection = Field(default_factory=BackendsSection, description="How the items are kept.")
    assembly: AssembliesSection = Field(
        default_factory=AssembliesSection, description="How many items a role is offered."
    )
    max_items: Annotated[int, Field(ge=1, le=MOST_ITEMS)] = Field(
        default=MAX_ITEMS, description="Above so many extracted and inferred items, the lowest tenth is archived."
    )
    extraction_mode: Literal["heuristic", "llm", "hybrid"] = Field(
        default="hybrid", description="Who extracts from a turn: rules, a model, or a model where rules are unsure."
    )
    max_llm_calls_per_turn: Annotated[int, Field(ge=0, le=MOST_CALLS)] = Field(
        default=1, description="The most calls of a model that memory makes for one turn; 0 asks none."
    )
    rerank: RerankSection = Field(default_factory=RerankSection, description="A second look at the best candidates.")
    expansion: ExpansionSection = Field(default_factory=ExpansionSection, description="Items that are added by links.")
    active: ActiveSection = Field(default_factory=ActiveSection, description="Actions of memory without a command.")
    embeddings: EmbeddingsSection = Field(
        default_factory=EmbeddingsSection, description="Comparing meanings beside words."
    )
    scope: ScopeSection = Field(default_factory=ScopeSection, description="How scopes are chosen.")
    lifecycle: LifecycleSection = Field(default_factory=LifecycleSection, description="How long items live.")
    consolidation: ConsolidationSection = Field(
        default_factory=ConsolidationSection, description="Summaries of dense clusters."
    )
    window: WindowSection = Field(default_factory=WindowSection, description="How much a working window holds.")

    secret_scanner: Literal["own", "detect-secrets"] = Field(
        default="own", description="Who looks for secrets in what is written: vfcc, or detect-secrets beside it."
    )

    stale: Literal["flag", "withhold"] = Field(
        default="flag", description="How an item is treated after its code changed: marked, or left out of prompts."
    )

    speakers: dict[SpeakerName, Literal["human", "agent", "external"]] = Field(
        default_factory=dict, description="Trust of each named speaker of conversations; other speakers only propose."
    )

    @model_validator(mode="before")
    @classmethod
    def names_no_server(cls, value: object) -> object:
        """Say where a server and an identity belong, instead of calling their keys unknown."""
        if isinstance(value, dict) and "postgres_url" in value:
            raise sentence(
                "belongs to your own settings ($XDG_CONFIG_HOME/vfcc/config.yaml, or VFCC_POSTGRES_URL); "
                "a project never says where a server is",
                "postgres_url",
            )
        if isinstance(value, dict) and "identity" in value:
            raise sentence(
                "belongs to your own environment, or a project could claim another's items; where the repository does "
                "not identify the project, set VFCC_PROJECT",
                "identity",
            )
        return value

    def settings(self) -> MemorySettings:
        """Return what the section says, as the program uses it."""
        return MemorySettings(
            enabled=self.enabled,
            backends={
                ScopeKind.PROJECT: BackendKind(self.backends.project),
                ScopeKind.TASK: BackendKind(self.backends.task),
            },
            thinking_roles=tuple(self.assembly.thinking_roles),
            thinking=self.assembly.thinking.assembly(),
            working=self.assembly.working.assembly(),
            max_items=self.max_items,
            extraction_mode=ExtractionMode(self.extraction_mode),
            max_llm_calls_per_turn=self.max_llm_calls_per_turn,
            scope_mode=ScopeMode(self.scope.mode),
            rerank=self.rerank.settings(),
            expansion=self.expansion.settings(),
            active=self.active.settings(),
            embeddings=self.embeddings.enabled,
            consolidation=self.consolidation.settings(),
            ttl_days=self.lifecycle.ttl_days(),
            secret_scanner=SecretScanner(self.secret_scanner),
            stale=Stale(self.stale),
            window=self.window.settings(),
            speakers={name: SpeakerTrust(trust) for name, trust in self.speakers.items()},
        )
