"""When a turn was said, as one form: an ISO date-time in UTC to the second, or a day."""

from datetime import UTC, datetime

from verifflowcc.text.dates import read_date

_MILLISECONDS_FROM = 100_000_000_000


def moment_of(value: object) -> str | None:
    """Return a moment that a source wrote; None where it says none, or what cannot be read.

    A date-time without a zone is taken as UTC; numbers are seconds or milliseconds since 1970.

    >>> moment_of("2026-11-21T10:00:00.123+02:00"), moment_of(1795255200), moment_of("21/11/2026"), moment_of("soon")
    ('2026-11-21T08:00:00Z', '2026-11-21T10:00:00Z', '2026-11-21', None)
    """
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        if isinstance(value, str):
            text = value.strip()
            if len(text) <= 10:
                return read_date(text)
            found = datetime.fromisoformat(text)
        else:
            found = datetime.fromtimestamp(value / 1000 if value >= _MILLISECONDS_FROM else value, UTC)
        moment = found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)
    except (ValueError, OverflowError, OSError):
        return read_date(value) if isinstance(value, str) else None
    return f"{moment:%Y-%m-%dT%H:%M:%SZ}"
