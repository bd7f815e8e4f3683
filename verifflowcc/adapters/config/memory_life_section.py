"""The shape of what `memory` says of finding and of the life cycle: rerank, scope, time to live, consolidation."""

import re
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema
from pydantic_core import PydanticCustomError

from verifflowcc.adapters.config.patterns import millionths
from verifflowcc.adapters.config.section import WRONG, Section, obeys
from verifflowcc.domain.config import ActiveSettings, ConsolidationSettings, ExpansionSettings, RerankSettings
from verifflowcc.domain.item_types import TYPES
from verifflowcc.text.near import nearest

MOST_CANDIDATES = 1_000
MOST_DAYS = 36_500
_THOUSAND = 1_000
_INTERVAL = r"[1-9][0-9]{0,4}d"


def _thousandths(value: object) -> int:
    scaled = millionths(value)
    if scaled is None or not 0 <= scaled <= _THOUSAND * _THOUSAND or scaled % _THOUSAND:
        raise PydanticCustomError(WRONG, WRONG)
    return scaled // _THOUSAND


def _days(value: object) -> int:
    if not isinstance(value, str) or not re.fullmatch(_INTERVAL, value) or int(value[:-1]) > MOST_DAYS:
        raise PydanticCustomError(WRONG, WRONG)
    return int(value[:-1])


def _type_problem(name: str) -> str | None:
    if name in TYPES:
        return None
    near = nearest(name, TYPES)
    return "is no type of items; " + (f"did you mean {near}?" if near else f"the types are {', '.join(TYPES)}")


Margin = Annotated[int, BeforeValidator(_thousandths), WithJsonSchema({"type": "number", "minimum": 0, "maximum": 1})]
Interval = Annotated[int, BeforeValidator(_days), WithJsonSchema({"type": "string", "pattern": f"^{_INTERVAL}$"})]
TypeName = Annotated[str, obeys(_type_problem), WithJsonSchema({"type": "string", "enum": [*TYPES]})]
Days = Annotated[int, Field(ge=1, le=MOST_DAYS)]


class RerankSection(Section):
    """Whether a model orders the best candidates anew."""

    enabled: bool = Field(default=False, description="Whether a model is asked to order the best candidates.")
    max_candidates: Annotated[int, Field(ge=1, le=MOST_CANDIDATES)] = Field(
        default=RerankSettings().max_candidates, description="The most candidates that it is given."
    )
    trigger_min_margin: Margin = Field(
        default=RerankSettings().trigger_min_margin,
        description="It is asked where the best leads the next by less than this part, from 0 to 1.",
        json_schema_extra={"default": RerankSettings().trigger_min_margin / _THOUSAND},
    )

    def settings(self) -> RerankSettings:
        """Return what the section says, as the program uses it."""
        return RerankSettings(self.enabled, self.max_candidates, self.trigger_min_margin)


class ExpansionSection(Section):
    """Whether recall follows links one step."""

    enabled: bool = Field(default=True, description="Whether the best hits bring in what they link to.")
    max_items: Annotated[int, Field(ge=0, le=MOST_CANDIDATES)] = Field(
        default=ExpansionSettings().max_items, description="The most items that links bring in."
    )
    min_confidence: Margin = Field(
        default=ExpansionSettings().min_confidence,
        description="Items of less confidence, from 0 to 1, are not brought in.",
        json_schema_extra={"default": ExpansionSettings().min_confidence / _THOUSAND},
    )

    def settings(self) -> ExpansionSettings:
        """Return what the section says, as the program uses it."""
        return ExpansionSettings(self.enabled, self.max_items, self.min_confidence)


class ActiveSection(Section):
    """What memory does unasked."""

    pre_brief: bool = Field(
        default=True, description="Whether a role that plans gets a checklist of what bears on the task."
    )
    file_boost: bool = Field(default=True, description="Whether items that speak of files in play are lifted.")

    def settings(self) -> ActiveSettings:
        """Return what the section says, as the program uses it."""
        return ActiveSettings(self.pre_brief, self.file_boost)


class EmbeddingsSection(Section):
    """Whether recall compares meanings too, by a small model on this machine."""

    enabled: bool = Field(default=False, description="Whether the extra embeddings is used.")


class ScopeSection(Section):
    """How the scope of what is new is chosen, where nobody names one."""

    mode: Literal["skill", "workspace", "manual"] = Field(
        default="workspace",
        description="By whose it is: the person's or the project's; what a role learns to that role (skill); or a "
        "person says it (manual).",
    )


class LifecycleSection(Section):
    """How long items live."""

    type_ttl_days: dict[TypeName, Days | None] = Field(
        default_factory=dict, description="Per type the days that an item lives; null: it never ends."
    )

    def ttl_days(self) -> dict[str, int | None]:
        """Return the days per type, in the order of the names."""
        return dict(sorted(self.type_ttl_days.items()))


class ConsolidationSection(Section):
    """Whether and how often `vfcc memory maintain` makes summaries of dense clusters."""

    enabled: bool = Field(default=True, description="Whether summaries are made.")
    interval: Interval = Field(
        default=ConsolidationSettings().interval_days,
        description="The time from one to the next, in days: 7d.",
        json_schema_extra={"default": f"{ConsolidationSettings().interval_days}d"},
    )

    def settings(self) -> ConsolidationSettings:
        """Return what the section says, as the program uses it."""
        return ConsolidationSettings(self.enabled, self.interval)
