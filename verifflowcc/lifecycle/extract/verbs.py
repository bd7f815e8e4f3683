"""Verbs by which a request says what is to be done, each with its form in -ing."""

_BASES = (
    "write include add keep store put save deploy run test log document annotate format wrap return validate handle"
    " commit push merge rebase review call throw raise pin sort quote import export create delete remove close open set"
    " check host publish release upload send track work go take communicate name prefix suffix start begin end finish"
    " limit group order indent escape encrypt hash mock seed cache retry lint type label mark tag squash sign order"
    " expose rename cover measure monitor configure install define declare pass register mount ship back limit query"
    " block lock mention attach touch edit change skip disable enable force-push hard-code hardcode copy nest chain"
    " have give follow split place inject load fetch render style build generate translate backup "
    "restore split force-push"
).split()


def _gerund(base: str) -> str:
    if base.endswith("e") and not base.endswith("ee"):
        return f"{base[:-1]}ing"
    doubled = base in {"run", "log", "wrap", "commit", "pin", "put", "set", "begin", "tag", "ship", "skip", "split"}
    return f"{base}{base[-1]}ing" if doubled else f"{base}ing"


COMMON = frozenset(
    "have take go start begin end finish work communicate follow give track open cover place skip keep put"
    " change cut split lead limit order back send pass check measure attach build touch create".split()
)
"""Verbs of everyday talk: they make a rule only where they say how much, when or where, or of what all."""
VERBS = {base: base for base in _BASES} | {_gerund(base): base for base in _BASES}
