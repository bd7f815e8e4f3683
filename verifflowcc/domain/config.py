"""The effective configuration of a workspace: what `config.yaml` says, and the defaults for what it leaves out."""

from collections.abc import Mapping
from enum import StrEnum

from verifflowcc.domain.backends import BackendKind
from verifflowcc.domain.code_mix import MIXES, ORDINARY, CodeMix
from verifflowcc.domain.item_types import ScopeKind
from verifflowcc.domain.layers import Layer
from verifflowcc.records import dataclass, field

TYPE_CHECKING = False
"""What checkers of types take for true: importing `typing` costs more than this whole module."""

if TYPE_CHECKING:
    from verifflowcc.domain.evidence import Command
    from verifflowcc.domain.gates import Mode

FORMAT = 2
"""The format of a new `config.yaml`: it holds what differs from the defaults. Format 1 held all of them."""
MERGED_ROLES = 2
"""From this format on, roles that `token_allocation` leaves out keep their defaults, unless it has a `default`."""
USER_FORMAT = 1
"""The format of a person's own settings."""
DEFAULT_BUDGET_TOKENS = 50_000
SHARE_UNIT = 1_000_000
"""Shares are whole millionths, so that adding them up is exact."""

DEFAULT_SHARES: Mapping[Layer, int] = {
    Layer.AGENT: 400_000,
    Layer.STAGE: 300_000,
    Layer.SPRINT: 200_000,
    Layer.PROJECT: 100_000,
    Layer.USER: 0,
}
PRESETS: Mapping[str, Mapping[Layer, int]] = {
    "lifetimes": {
        Layer.AGENT: 400_000,
        Layer.STAGE: 100_000,
        Layer.SPRINT: 100_000,
        Layer.PROJECT: 200_000,
        Layer.USER: 200_000,
    },
}
"""Allocations with a name. `lifetimes` gives 0.4 to the task, 0.4 to the project (its sprint and stage included) and
0.2 to what holds for the person."""


@dataclass(frozen=True, slots=True)
class LayerStrategy:
    """Which files a layer considers.

    Patterns are relative to the layer's folder and keep the order in which they are written. `max_tokens` caps the
    layer whatever its share, but for always-loaded rules. `head_tail_preserve` > 0 offers the first and last N of the
    ranked list before the rest.
    """

    always_load: tuple[str, ...]
    conditional_load: tuple[str, ...]
    max_tokens: int
    head_tail_preserve: int = 0


@dataclass(frozen=True, slots=True)
class Allocation:
    """A role's share of the budget per layer, in millionths, and its budget where it has one of its own.

    A user layer with no share lives on what others leave over, up to a tenth of the budget. `preset` is the name that
    the shares were given by, if any.
    """

    shares: Mapping[Layer, int]
    budget_tokens: int | None = None
    preset: str | None = None


DEFAULT_ALLOCATION = Allocation(DEFAULT_SHARES)
DEFAULT_ROLE = "default"
"""The name in `token_allocation` whose values hold for every role that it does not name."""


@dataclass(frozen=True, slots=True)
class TokenSettings:
    """How tokens are counted.

    `factors` maps a model with no public tokenizer to millionths by which an exact count is multiplied; such a count is
    an estimate and is marked `~` wherever it shows.
    """

    encoding: str = "o200k_base"
    model: str | None = None
    factors: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class GitSettings:
    """Whether a transition commits itself: `never` or `always`."""

    commit: str = "never"


@dataclass(frozen=True, slots=True)
class GateSettings:
    """The commands whose results are evidence, by name, and the modes that a sprint's start gives to criteria.

    `modes` maps a criterion's kind or id to its mode; the id goes before the kind.
    """

    commands: "Mapping[str, Command]" = field(default_factory=dict)
    modes: "Mapping[str, Mode]" = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TraceSettings:
    """Where the trace looks, beside its items.

    `code` are patterns of product files that must belong to an item, `tests` those of test files, `exclude` those of
    files that are not scanned for marks; `reports` are JUnit files, and `results_from` is the command that makes them,
    for hints alone. `target` is the branch whose ids must not collide with those that are here, `id_pattern` the
    regular expression of ids, `baseline` the list of known findings; None leaves each to its default.
    """

    code: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    reports: tuple[str, ...] = ()
    results_from: str | None = None
    target: str | None = None
    id_pattern: str | None = None
    baseline: str | None = None


@dataclass(frozen=True, slots=True)
class Assembly:
    """How many typed items a kind of role is offered; `user_types` are the only ones of the user's, None: all."""

    user_items: int
    project_items: int
    user_types: tuple[str, ...] | None = None


THINKING = Assembly(20, 30)
WORKING = Assembly(10, 50, ("preference", "communication_style"))
THINKING_ROLES = ("planner", "analyst", "architect", "stakeholder")
MAX_ITEMS = 1_000
DEFAULT_BACKENDS: Mapping[ScopeKind, BackendKind] = {
    ScopeKind.PROJECT: BackendKind.FILES,
    ScopeKind.TASK: BackendKind.FILES,
}


class ExtractionMode(StrEnum):
    """Who extracts: rules alone, a model for all turns that the gate lets through, or one where rules are unsure."""

    HEURISTIC = "heuristic"
    LLM = "llm"
    HYBRID = "hybrid"


class ScopeMode(StrEnum):
    """How the scope of what is new is chosen, where nobody names one.

    By whose a statement is (`workspace`), what a role learns to that role (`skill`), or by a person alone (`manual`).
    """

    SKILL = "skill"
    WORKSPACE = "workspace"
    MANUAL = "manual"


class SecretScanner(StrEnum):
    """Who looks for secrets in what is written: our own patterns, or a library beside them."""

    OWN = "own"
    DETECT_SECRETS = "detect-secrets"


class Stale(StrEnum):
    """What becomes of an item whose code changed."""

    FLAG = "flag"
    WITHHOLD = "withhold"


@dataclass(frozen=True, slots=True)
class RerankSettings:
    """Whether a model orders the best candidates anew, how many, and below which margin (thousandths) it is asked."""

    enabled: bool = False
    max_candidates: int = 20
    trigger_min_margin: int = 150


@dataclass(frozen=True, slots=True)
class ExpansionSettings:
    """Whether recall follows links one step, how many items they may bring in, and the least confidence of these.

    `min_confidence` in thousandths.
    """

    enabled: bool = True
    max_items: int = 3
    min_confidence: int = 500


@dataclass(frozen=True, slots=True)
class ActiveSettings:
    """What memory does unasked: a checklist before planning, and a lift for items that speak of files in play."""

    pre_brief: bool = True
    file_boost: bool = True


@dataclass(frozen=True, slots=True)
class ConsolidationSettings:
    """Whether `memory maintain` makes summaries of dense clusters, and after how many days again."""

    enabled: bool = True
    interval_days: int = 7


@dataclass(frozen=True, slots=True)
class WindowSettings:
    """How many tokens a model takes, and how many of them are left free for its answer."""

    total_tokens: int = 200_000
    buffer_tokens: int = 20_000

    @property
    def limit_tokens(self) -> int:
        """What a window may hold."""
        return self.total_tokens - self.buffer_tokens


class SpeakerTrust(StrEnum):
    """How far what a named speaker says is trusted: as a person's word, an agent's, or a text from elsewhere."""

    HUMAN = "human"
    AGENT = "agent"
    EXTERNAL = "external"


@dataclass(frozen=True, slots=True)
class MemorySettings:
    """What becomes of typed items in this project.

    `backends` says how the project's and its tasks' items are kept; where a server or the user's own items are is said
    by each person's own settings (`UserSettings`), never by a project. Above `max_items` extracted and inferred items,
    the lowest tenth is archived. `ttl_days` goes before the table of types; None there: never. `speakers` says how far
    each named speaker of a conversation is trusted; what others say is only proposed.
    """

    enabled: bool = True
    backends: Mapping[ScopeKind, BackendKind] = field(default_factory=lambda: dict(DEFAULT_BACKENDS))
    thinking_roles: tuple[str, ...] = THINKING_ROLES
    thinking: Assembly = THINKING
    working: Assembly = WORKING
    max_items: int = MAX_ITEMS
    extraction_mode: ExtractionMode = ExtractionMode.HYBRID
    max_llm_calls_per_turn: int = 1
    scope_mode: ScopeMode = ScopeMode.WORKSPACE
    rerank: RerankSettings = RerankSettings()
    expansion: ExpansionSettings = ExpansionSettings()
    active: ActiveSettings = ActiveSettings()
    embeddings: bool = False
    consolidation: ConsolidationSettings = ConsolidationSettings()
    ttl_days: Mapping[str, int | None] = field(default_factory=dict)
    secret_scanner: SecretScanner = SecretScanner.OWN
    stale: Stale = Stale.FLAG
    window: WindowSettings = WindowSettings()
    speakers: Mapping[str, SpeakerTrust] = field(default_factory=dict)

    def assembly_for(self, agent: str) -> Assembly:
        """Return what a role is offered: more of the user for a thinking one, more of the project for a working one."""
        return self.thinking if agent in self.thinking_roles else self.working


class ToolTable(StrEnum):
    """What happens to a call of a tool that the role of the stage in work may not make."""

    DENY = "deny"
    ASK = "ask"
    OFF = "off"


class Share(StrEnum):
    """Whether the history of each session is committed, in a form without parameters, results and words."""

    NEVER = "never"
    SESSION = "session"


BRIEF_TOKENS = 1_500


@dataclass(frozen=True, slots=True)
class HookSettings:
    """What the hooks of agents' clients do here.

    `record`: whether what agents do is written down. `files`: whether an agent gets what is known of a file after it
    reads it first, or before it edits it. `recall`: whether a prompt gets the items that fit it well. `hold`: whether
    an agent is kept from stopping while the gate of the active stage is closed. `brief_tokens` is the most that a
    session begins with.
    """

    record: bool = True
    share: Share = Share.NEVER
    tools: ToolTable = ToolTable.DENY
    files: bool = True
    brief_tokens: int = BRIEF_TOKENS
    recall: bool = True
    hold: bool = False


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """The model that a person lets vfcc ask, and the caps on it.

    `command` reads a prompt on stdin and answers on stdout; `api` is `provider:model` for the client library. One of
    the two, or neither: no model. Tokens are counted in and out together.
    """

    command: tuple[str, ...] = ()
    api: str | None = None
    timeout_s: int = 60
    max_calls_per_day: int = 100
    max_tokens_per_turn: int = 8_000
    max_tokens_per_day: int = 200_000


@dataclass(frozen=True, slots=True)
class UserSettings:
    """A person's own settings (`$XDG_CONFIG_HOME/vfcc/config.yaml`): how their items are kept, and where a server is.

    `postgres_url` is a libpq connection string or URL, without a password: that comes from libpq's own places.
    """

    backend: BackendKind = BackendKind.FILES
    postgres_url: str | None = None
    llm: ModelSettings = ModelSettings()


@dataclass(frozen=True, slots=True)
class Config:
    """A whole, valid configuration. `digest` is that of the file's bytes, or of nothing where there is no file."""

    strategies: Mapping[Layer, LayerStrategy]
    allocations: Mapping[str, Allocation]
    workflow: str
    git: GitSettings
    tokens: TokenSettings
    digest: str
    gates: GateSettings = field(default_factory=GateSettings)
    trace: TraceSettings = field(default_factory=TraceSettings)
    memory: MemorySettings = field(default_factory=MemorySettings)
    hooks: HookSettings = HookSettings()
    code_mixes: Mapping[str, CodeMix] = field(default_factory=dict)

    def code_mix_for(self, agent: str) -> CodeMix:
        """Return the mix of code that a role gets: its own, else the configured default, else the shipped one."""
        return self.code_mixes.get(agent) or MIXES.get(agent) or self.code_mixes.get(DEFAULT_ROLE) or MIXES[ORDINARY]

    def allocation_for(self, agent: str) -> Allocation:
        """Return the role's allocation, else that of `default`, else 0.4 agent, 0.3 stage, 0.2 sprint, 0.1 project."""
        return self.allocations.get(agent) or self.allocations.get(DEFAULT_ROLE, DEFAULT_ALLOCATION)
