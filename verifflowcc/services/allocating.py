"""Which shares a prompt is packed by: those of the request, else those of the role."""

from collections.abc import Mapping

from verifflowcc.domain.config import PRESETS, SHARE_UNIT, Allocation, Config
from verifflowcc.domain.entries import Question
from verifflowcc.domain.layers import PRIORITY, Layer
from verifflowcc.errors import UsageError
from verifflowcc.text.article import nearest

_DECIMALS = 6
_HINT = '--allocation "agent=0.5,stage=0.2,project=0.2,user=0.1"'


def allocation_of(config: Config, question: Question) -> Allocation:
    """Return the allocation: the request's own shares with the role's budget, else the role's.

    Raises UsageError for a name that there is not, and for shares that are none or do not add up to 1.
    """
    of_role = config.allocation_for(question.agent)
    given = question.allocation
    if given is None:
        return of_role
    if "=" in given:
        return Allocation(_shares(given), of_role.budget_tokens)
    if given in PRESETS:
        return Allocation(PRESETS[given], of_role.budget_tokens, given)
    if given in config.allocations:
        return Allocation(config.allocations[given].shares, of_role.budget_tokens)
    known = (*PRESETS, *config.allocations)
    near = nearest(given, known)
    said = f"did you mean {near}?" if near else f"there is {', '.join(sorted(known))}"
    raise UsageError(f"there is no allocation {given}; {said}", hint=f"--allocation {near}" if near else _HINT)


def _shares(text: str) -> Mapping[Layer, int]:
    shares: dict[Layer, int] = dict.fromkeys(PRIORITY, 0)
    named = set()
    for part in text.split(","):
        name, equals, number = (each.strip() for each in part.partition("="))
        layer = next((each for each in PRIORITY if each.value == name), None)
        if layer is None or not equals:
            near = nearest(name, [each.value for each in PRIORITY])
            said = f"did you mean {near}?" if near else f"the layers are {', '.join(PRIORITY)}"
            raise UsageError(f"{part.strip() or 'nothing'} is no share of a layer; {said}", hint=_HINT)
        if layer in named:
            raise UsageError(f"the allocation names {layer} twice", hint=_HINT)
        named.add(layer)
        shares[layer] = _share(number, layer)
    total = sum(shares.values())
    if total != SHARE_UNIT:
        raise UsageError(f"the shares add up to {total / SHARE_UNIT:g}, not to 1", hint=_HINT)
    return shares


def _share(text: str, layer: Layer) -> int:
    """Return a decimal number from 0 to 1 in millionths, exactly."""
    whole, _, decimals = text.partition(".")
    digits = decimals.ljust(_DECIMALS, "0")
    if text.isascii() and (whole or decimals) and len(digits) == _DECIMALS and f"{whole or 0}{digits}".isdecimal():
        share = int(whole or 0) * SHARE_UNIT + int(digits) if len(whole) <= 1 else SHARE_UNIT + 1
        if share <= SHARE_UNIT:
            return share
    raise UsageError(
        f"{text or 'nothing'} is no share of the {layer} layer: give a number from 0 to 1, with at most six decimals",
        hint=_HINT,
    )
