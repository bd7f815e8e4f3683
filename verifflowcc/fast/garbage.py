"""How often Python collects garbage in a short process, and that it ends without doing so."""

GARBAGE_AFTER = 200_000
"""So many new objects before Python looks for cycles among them; after 700, its default, a short command spends a tenth
of its time on looking through what it imported. A prompt makes some 60,000, and one look takes as long as importing
jinja2."""


def collect_rarely() -> None:
    """Let Python look for cycles as rarely as a short process can afford, before much is imported."""
    import gc

    gc.set_threshold(GARBAGE_AFTER)


def leave_the_rest() -> None:
    """Let Python end without looking for cycles among all objects, which takes an eighth of a short command's time."""
    import gc

    gc.freeze()
