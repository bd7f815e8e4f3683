"""The two marks around a text that a hook adds to a conversation. It imports nothing, so that hooks start fast."""

BEGIN, END = "<!-- vfcc: memory -->", "<!-- vfcc: end -->"


def between_marks(parts: "list[tuple[str, list[str]]]") -> str:
    """Return parts, a heading (may be empty) and its lines each, between the marks; empty where there is no part.

    >>> between_marks([("Known of a.py", ["edited"])])
    '<!-- vfcc: memory -->\\nKnown of a.py:\\n- edited\\n<!-- vfcc: end -->'
    """
    lines = []
    for heading, found in parts:
        lines += [f"{heading}:", *(f"- {line}" for line in found)] if heading else found
    return "\n".join([BEGIN, *lines, END]) if lines else ""
