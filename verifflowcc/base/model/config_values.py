"""The effective configuration of a workspace: what `config.yaml` says, and the defaults for what it leaves out."""

from collections.abc import Mapping
from enum import StrEnum

from verifflowcc.base.model.layers import Layer
from verifflowcc.base.model.settings import key
from verifflowcc.base.records import dataclass, field, field_names

TYPE_CHECKING = False

if TYPE_CHECKING:
    from verifflowcc.base.model.evidence_values import Command
    from verifflowcc.base.model.gate_values import Mode


# The kinds of backend that there are.


class BackendKind(StrEnum):
    """How the items of a scope are kept."""

    MEMORY = "memory"
    FILES = "files"
    SQLITE = "sqlite"
    POSTGRES = "postgres"


# Places in the project's code that items speak of: which paths are such places, and what is there now.

_NEVER = frozenset({"..", ".git"})
_LOCAL = [".memory", "local"]


@dataclass(frozen=True, slots=True)
class CodeStatus:
    """What is at a path of the project now.

    `digest` is None where nothing is there, and empty for a folder and for what cannot be read. `symbols` maps those
    names that were asked for, and are in the file, to the digests of their texts: empty where only the word is there.
    It is None where nobody can tell: of a link, a binary or a very large file.
    """

    digest: str | None
    symbols: Mapping[str, str] | None = None


def code_path(path: str) -> str | None:
    """Return a path from the project's root in its plain form; None for what is no place in the project.

    >>> code_path("./src//a.py"), code_path("src/"), code_path("../a.py"), code_path("https://a.example/b")
    ('src/a.py', 'src', None, None)
    """
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if not path.isprintable() or "://" in path or path.startswith("/") or not _NEVER.isdisjoint(parts):
        return None
    return "/".join(parts) if parts and parts[:2] != _LOCAL else None


# How much the commands about code show, where nobody says otherwise.

CONTEXT_TOKENS = 4_000
MAP_TOKENS = 2_000
MOST_FOUND = 50
MOST_SYMBOLS = 10
"""Of a name that more symbols have, so many are answered."""


# What sorts of code a role's prompt shows, and which share of the room each has.

WHOLE = 1_000_000
"""Shares are whole millionths, so that adding them up is exact."""

BODIES, TESTS, INTERFACES, CALLERS, MAP, DIFF = PARTS = ("bodies", "tests", "interfaces", "callers", "map", "diff")
"""Functions whole; tests and their fixtures; signatures and fields; signatures of what calls the code; an overview of
all files; what changed. They are in the order in which a tie is decided, and in which a mix is shown.
"""


@dataclass(frozen=True, slots=True)
class CodeMix:
    """The share of each part in millionths. A part that has less to show than its share leaves it to the others."""

    bodies: int = 0
    """Whole functions, and the lines between them."""
    tests: int = 0
    """Tests of the code, with the fixtures of `conftest.py` that they use."""
    interfaces: int = 0
    """Signatures, and the fields of types."""
    callers: int = 0
    """Signatures of callers."""
    map: int = 0
    """An overview of all files, at most 3,000 tokens."""
    diff: int = 0
    """Changes since the building stage began, and uncommitted ones; the code around them comes first elsewhere."""

    def shares(self) -> dict[str, int]:
        """Return part → share of the parts that the mix has."""
        return {name: share for name in field_names(self) if (share := getattr(self, name))}


ORDINARY = "default"
"""The name of the mix of each role that has none of its own."""

_OVERVIEW = CodeMix(interfaces=700_000, map=300_000)
_INTERFACES = CodeMix(interfaces=800_000, callers=200_000)
MIXES: Mapping[str, CodeMix] = {
    ORDINARY: CodeMix(bodies=950_000, tests=50_000),
    "tester": CodeMix(tests=600_000, interfaces=400_000),
    "reviewer": CodeMix(diff=650_000, bodies=260_000, tests=50_000, callers=40_000),
    **dict.fromkeys(("planner", "analyst", "stakeholder"), _OVERVIEW),
    **dict.fromkeys(("architect", "designer"), _INTERFACES),
}
"""The shipped mixes, by the role that has them."""


# A person's own settings, which hold in all projects: how their items are kept, and the model that may be asked.

USER_FORMAT = 1
"""The format of the file."""
MOST_TOKENS = 1_000_000_000


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """The model that may be asked, and the caps on it. Without a command and an api there is none."""

    command: tuple[str, ...] = key((), "A program that reads a prompt on stdin and answers on stdout.", "words")
    api: str | None = key(None, "`provider:model`, with verifflowcc[llm]; not together with a command.", "model")
    timeout_s: int = key(60, "Seconds until a call is given up.", least=1, most=3_600, unit="seconds")
    max_calls_per_day: int = key(100, "The most calls per UTC day.", most=1_000_000)
    max_tokens_per_turn: int = key(8_000, "The most tokens per turn, in and out together.", least=1, most=MOST_TOKENS)
    max_tokens_per_day: int = key(
        200_000, "The most tokens per UTC day, in and out together.", least=1, most=MOST_TOKENS
    )


@dataclass(frozen=True, slots=True)
class UserSettings:
    """How a person's own items are kept, and where a server is."""

    backend: BackendKind = key(
        BackendKind.FILES, "The store of the person's own items.", choices=("files", "sqlite", "postgres")
    )
    postgres_url: str | None = key(None, "A connection string or URL, without a password.", "server")
    llm: ModelSettings = ModelSettings()


"""What checkers of types take for true: importing `typing` costs more than this whole module."""


FORMAT = 2
"""The format of a new `config.yaml`: it holds what differs from the defaults. Format 1 held all of them."""
MERGED_ROLES = 2
"""From this format on, roles that `token_allocation` leaves out keep their defaults, unless it has a `default`."""
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
    """How tokens are counted."""

    encoding: str = key("o200k_base", "The tokenizer.", choices=("o200k_base", "cl100k_base"))
    model: str | None = key(None, "A model with no public tokenizer; its factor applies.", "model name")
    factors: Mapping[str, int] = key(
        {}, "Per model, what a count is multiplied by; such a count is an estimate (~).", "factors"
    )
    """In millionths."""


@dataclass(frozen=True, slots=True)
class GitSettings:
    """Use of git."""

    commit: str = key(
        "never", "Whether a transition commits itself to git (`always`) or not (`never`).", choices=("never", "always")
    )


@dataclass(frozen=True, slots=True)
class FleetSettings:
    """How several machines share the attempts of a run (`vfcc run --fleet`)."""

    name: str | None = key(None, "The fleet, one for each project that shares a database.", "fleet")
    remote: str | None = key(None, "The remote that takes branches `vfcc/RUN/…`; nothing else is pushed.", "fleet")
    at_once: int = key(4, "The most attempts of the fleet at once.", least=1, most=1_000)
    per_worker: int = key(1, "The most attempts of one worker at once.", least=1, most=100)
    lease_s: int = key(
        60,
        "Seconds without a sign of life after which a worker loses its attempt.",
        least=2,
        most=3_600,
        unit="seconds",
    )


@dataclass(frozen=True, slots=True)
class RunSettings:
    """What `vfcc run` prepares for agents."""

    setup: str | None = key(
        None,
        "The command of `gates.commands` that prepares each worktree of `vfcc run`, again when its `inputs` change.",
        "command of gates",
    )
    environment: tuple[str, ...] = key(
        (), "Variables that the agents of `vfcc run` get beside the usual ones.", "variables"
    )
    fleet: FleetSettings = key(FleetSettings(), "How several machines share the attempts.")


@dataclass(frozen=True, slots=True)
class GateSettings:
    """The commands whose results are evidence, by name, and the modes that a sprint's start gives to criteria.

    `modes` maps a criterion's kind or id to its mode; the id goes before the kind.
    """

    commands: "Mapping[str, Command]" = field(default_factory=dict)
    modes: "Mapping[str, Mode]" = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TraceSettings:
    """Where the trace looks, beside its items."""

    code: tuple[str, ...] = key(
        (), "Product files that must belong to an item; none means it is not asked.", "patterns"
    )
    tests: tuple[str, ...] = key((), "Files of tests; none means those that are usually called so.", "patterns")
    exclude: tuple[str, ...] = key((), "Files that are not scanned for marks.", "patterns")
    reports: tuple[str, ...] = key((), "Reports of results (JUnit XML) that every check of the trace reads.", "files")
    results_from: str | None = key(
        None, "The command that makes these reports; shown where results are missing, never run.", "command"
    )
    target: str | None = key(
        None, "The branch whose ids must not collide with those here; else that of origin.", "branch"
    )
    id_pattern: str | None = key(
        None, "A regular expression that every id obeys; else that of the workflow.", "expression"
    )
    baseline: str | None = key(None, "No longer read: a person accepts old findings with vfcc baseline trace.", "file")


MOST_ITEMS = 1_000_000
MOST_CANDIDATES = 1_000
MOST_WINDOW_TOKENS = 1_000_000_000
MOST_BRIEF_TOKENS = 2_200
"""Clients make a file of what is longer than 10,000 characters, and show the agent its beginning alone."""


@dataclass(frozen=True, slots=True)
class Assembly:
    """How many typed items a kind of role is offered; `user_types` are the only ones of the user's, None: all."""

    user_items: int = key(0, "The most user items; 0 leaves them out.", most=MOST_ITEMS)
    project_items: int = key(0, "The most items of the project.", most=MOST_ITEMS)
    user_types: tuple[str, ...] | None = key(None, "The types of user items; all where it is left out.", "user types")


THINKING = Assembly(20, 30)
WORKING = Assembly(10, 50, ("preference", "communication_style"))
THINKING_ROLES = ("planner", "analyst", "architect", "stakeholder")
MAX_ITEMS = 1_000


class ExtractionMode(StrEnum):
    """Who extracts: rules alone, a model for all turns that the gate lets through, or one where rules are unsure."""

    HEURISTIC = "heuristic"
    LLM = "llm"
    HYBRID = "hybrid"


class ScopeMode(StrEnum):
    """How the scope of a new item is chosen, where none is named.

    By whose a statement is (`workspace`), what a role learns to that role (`skill`), or by a person alone (`manual`).
    """

    SKILL = "skill"
    WORKSPACE = "workspace"
    MANUAL = "manual"


class SecretScanner(StrEnum):
    """Who looks for secrets in what is written: our own patterns, or a library beside them."""

    OWN = "own"
    DETECT_SECRETS = "detect-secrets"


class StalePolicy(StrEnum):
    """What happens to an item whose code changed."""

    FLAG = "flag"
    WITHHOLD = "withhold"


@dataclass(frozen=True, slots=True)
class BackendsSettings:
    """How the items of each scope are kept."""

    project: BackendKind = key(
        BackendKind.FILES,
        "The project's items: files (in git), sqlite, or postgres for an organisation.",
        choices=("files", "sqlite", "postgres"),
    )
    task: BackendKind = key(BackendKind.FILES, "The items of open tasks.", choices=("files", "sqlite"))


@dataclass(frozen=True, slots=True)
class AssembliesSettings:
    """How many typed items roles are offered; a role that is not named a thinking one is a working one."""

    thinking_roles: tuple[str, ...] = key(THINKING_ROLES, "The roles that plan and decide; all others work.", "roles")
    thinking: Assembly = key(
        THINKING,
        "Items that are offered to a thinking role.",
        about="What a thinking role is offered: much of what is known of the person, and the project's items.",
    )
    working: Assembly = key(
        WORKING,
        "Items that are offered to a working role.",
        about="What a working role is offered: the project's items, and of the person the style.",
        titles=(("user_types", "The types of user items."),),
    )

    def of(self, agent: str) -> Assembly:
        """Return what a role is offered: more of the user for a thinking one, more of the project for a working one."""
        return self.thinking if agent in self.thinking_roles else self.working


@dataclass(frozen=True, slots=True)
class RerankSettings:
    """Whether a model reorders the best candidates."""

    enabled: bool = key(False, "Whether a model is asked to order the best candidates.")
    max_candidates: int = key(20, "The most candidates that it is given.", least=1, most=MOST_CANDIDATES)
    trigger_min_margin: int = key(
        150, "It is asked where the best leads the next by less than this part, from 0 to 1.", "thousandths"
    )


@dataclass(frozen=True, slots=True)
class ExpansionSettings:
    """Whether recall follows links one step."""

    enabled: bool = key(True, "Whether the best hits bring in what they link to.")
    max_items: int = key(3, "The most items that links bring in.", most=MOST_CANDIDATES)
    min_confidence: int = key(500, "Items of less confidence, from 0 to 1, are not brought in.", "thousandths")


@dataclass(frozen=True, slots=True)
class ActiveSettings:
    """What memory does unasked."""

    pre_brief: bool = key(True, "Whether a role that plans gets a checklist of what bears on the task.")
    file_boost: bool = key(True, "Whether items that speak of files in play are lifted.")


@dataclass(frozen=True, slots=True)
class EmbeddingsSettings:
    """Whether recall compares meanings too, by a small model on this machine."""

    enabled: bool = key(False, "Whether the extra embeddings is used.")


@dataclass(frozen=True, slots=True)
class ScopeSettings:
    """How the scope of a new item is chosen, where none is named."""

    mode: ScopeMode = key(
        ScopeMode.WORKSPACE,
        "By whose it is: the person's or the project's; what a role learns to that role (skill); or a "
        "person says it (manual).",
    )


@dataclass(frozen=True, slots=True)
class LifecycleSettings:
    """How long items live."""

    type_ttl_days: Mapping[str, int | None] = key(
        {}, "Per type the days that an item lives; null: it never ends.", "days by type"
    )


@dataclass(frozen=True, slots=True)
class ConsolidationSettings:
    """Whether and how often `vfcc memory maintain` makes summaries of dense clusters."""

    enabled: bool = key(True, "Whether summaries are made.")
    interval: int = key(7, "The time from one to the next, in days: 7d.", "days")


@dataclass(frozen=True, slots=True)
class WindowSettings:
    """How many tokens a working window holds: what the model takes, less a buffer."""

    total_tokens: int = key(200_000, "The tokens that a model takes.", least=1, most=MOST_WINDOW_TOKENS)
    buffer_tokens: int = key(20_000, "Tokens that are left free for the answer.", most=MOST_WINDOW_TOKENS)

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
    """How typed items are kept, how many of them a role is offered, how they are learned, and how long they live."""

    enabled: bool = key(True, "Whether prompts draw on @recall, @task, @code and @user.")
    backends: BackendsSettings = key(BackendsSettings(), "How the items are kept.")
    assembly: AssembliesSettings = key(AssembliesSettings(), "How many items a role is offered.")
    max_items: int = key(
        MAX_ITEMS,
        "Above so many extracted and inferred items, the lowest tenth is archived.",
        least=1,
        most=MOST_ITEMS,
    )
    extraction_mode: ExtractionMode = key(
        ExtractionMode.HYBRID, "Who extracts from a turn: rules, a model, or a model where rules are unsure."
    )
    max_llm_calls_per_turn: int = key(
        1, "The most calls of a model that memory makes for one turn; 0 asks none.", most=100
    )
    rerank: RerankSettings = key(RerankSettings(), "A second look at the best candidates.")
    expansion: ExpansionSettings = key(ExpansionSettings(), "Items that are added by links.")
    active: ActiveSettings = key(ActiveSettings(), "Actions of memory without a command.")
    embeddings: EmbeddingsSettings = key(EmbeddingsSettings(), "Comparing meanings beside words.")
    scope: ScopeSettings = key(ScopeSettings(), "How scopes are chosen.")
    lifecycle: LifecycleSettings = key(LifecycleSettings(), "How long items live.")
    consolidation: ConsolidationSettings = key(ConsolidationSettings(), "Summaries of dense clusters.")
    window: WindowSettings = key(WindowSettings(), "How much a working window holds.")
    secret_scanner: SecretScanner = key(
        SecretScanner.OWN, "Who looks for secrets in what is written: vfcc, or detect-secrets beside it."
    )
    stale: StalePolicy = key(
        StalePolicy.FLAG, "How an item is treated after its code changed: marked, or left out of prompts."
    )

    speakers: Mapping[str, SpeakerTrust] = key({}, "Trust of each named speaker; others only propose.", "speaker trust")

    @property
    def ttl_days(self) -> Mapping[str, int | None]:
        """The days that items of a type live, which go before the table of types; None: they never end."""
        return self.lifecycle.type_ttl_days


class ToolTable(StrEnum):
    """What happens to a call of a tool that the role of the active stage may not make."""

    DENY = "deny"
    ASK = "ask"
    OFF = "off"


class HistorySharing(StrEnum):
    """Whether the history of each session is committed, in a form without parameters, results and words."""

    NEVER = "never"
    SESSION = "session"


@dataclass(frozen=True, slots=True)
class HookSettings:
    """What the hooks of agents' clients do here."""

    record: bool = key(True, "Whether hooks record what agents do, on this machine.")
    share: HistorySharing = key(
        HistorySharing.NEVER, "Whether each session leaves a file to commit, without parameters and results."
    )
    tools: ToolTable = key(
        ToolTable.DENY, "Answer to tool calls that the active stage does not allow the role to make."
    )
    files: bool = key(True, "Whether agents get what is known of a file that they read or edit.")
    brief_tokens: int = key(1_500, "The most tokens that a session begins with; 0 is nothing.", most=MOST_BRIEF_TOKENS)
    recall: bool = key(True, "Whether each prompt gets the items that fit it well.")
    hold: bool = key(False, "Whether an agent may not stop while the stage's gate is closed.")


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
    run: RunSettings = RunSettings()

    def code_mix_for(self, agent: str) -> CodeMix:
        """Return the mix of code that a role gets: its own, else the configured default, else the shipped one."""
        return self.code_mixes.get(agent) or MIXES.get(agent) or self.code_mixes.get(DEFAULT_ROLE) or MIXES[ORDINARY]

    def allocation_for(self, agent: str) -> Allocation:
        """Return the role's allocation, else that of `default`, else 0.4 agent, 0.3 stage, 0.2 sprint, 0.1 project."""
        return self.allocations.get(agent) or self.allocations.get(DEFAULT_ROLE, DEFAULT_ALLOCATION)


def millionths(value: object) -> int | None:
    """Return a number as whole millionths, exactly; None where it is no number or has more than six decimals.

    >>> from decimal import Decimal
    >>> millionths(Decimal("0.3")), millionths(1), millionths(Decimal("0.0000001"))
    (300000, 1000000, None)
    """
    if isinstance(value, bool):
        return None
    from decimal import Decimal  # takes long to load, and most commands read shares from the cache

    if not isinstance(value, int | Decimal):
        return None
    scaled = Decimal(value) * SHARE_UNIT
    return int(scaled) if scaled == int(scaled) else None


def decimal_text(value_millionths: int) -> str:
    """Return millionths as a decimal number.

    >>> decimal_text(300_000), decimal_text(1_000_000), decimal_text(1)
    ('0.3', '1', '0.000001')
    """
    whole, rest = divmod(value_millionths, SHARE_UNIT)
    return f"{whole}.{rest:06}".rstrip("0").rstrip(".")
