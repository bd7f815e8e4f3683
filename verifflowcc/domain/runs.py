"""What was compiled before, in numbers: how the room of each prompt was split among the layers."""

from verifflowcc.domain.layers import Layer
from verifflowcc.records import dataclass


@dataclass(frozen=True, slots=True)
class LayerRun:
    """One layer of a prompt that was compiled; `share` in millionths, all else in tokens, frames included.

    `own_tokens` is what its share gave it, at most its `max_tokens`; it used `used_tokens`, and would have used
    `wanted_tokens` if all the room had been its own. `offered_tokens` is all that its strategy found, also above its
    `max_tokens`.
    """

    layer: Layer
    share: int
    own_tokens: int
    used_tokens: int
    wanted_tokens: int
    offered_tokens: int

    @property
    def lacking_tokens(self) -> int:
        """What was dropped or trimmed and would have been in, had the layer had all the room."""
        return self.wanted_tokens - self.used_tokens

    @property
    def borrowed_tokens(self) -> int:
        """What it used of the other layers' leftovers."""
        return max(0, self.used_tokens - self.own_tokens)


@dataclass(frozen=True, slots=True)
class Run:
    """A prompt that was compiled: when, for whom, within which budget; `room_tokens` were split among `layers`."""

    at: str
    agent: str
    budget_tokens: int
    room_tokens: int
    layers: tuple[LayerRun, ...]
