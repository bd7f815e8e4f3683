"""Change one key at the top of a YAML text and leave every other byte as it is."""

import re

_VALUE = r"""(?:"[^"\\\n]*"|'[^'\n]*'|[^\s#"'{}\[\]|>&*!][^\s#]*)"""


def with_top_value(text: str, key: str, value: str) -> str | None:
    """Return the text with `key: value` at its top level, comments kept; None where that takes more than one line.

    A key that is not there goes below `format`, else to the end. Both `key` and `value` are plain words.

    >>> with_top_value("format: 1\\nworkflow: light  # ours\\n", "workflow", "agile")
    'format: 1\\nworkflow: agile  # ours\\n'
    """
    line = re.compile(rf"^({key}[ \t]*:[ \t]+){_VALUE}([ \t]*(?:[ \t]#[^\r\n]*)?)(?=\r?$)", re.MULTILINE)
    if line.search(text):
        return line.sub(lambda found: f"{found[1]}{value}{found[2]}", text, count=1)
    if re.search(rf"^[\"']?{key}[\"']?[ \t]*:", text, re.MULTILINE):
        return None
    newline = "\r\n" if "\r\n" in text else "\n"
    format_line = re.search(r"^format[ \t]*:[^\r\n]*(?:\r?\n|$)", text, re.MULTILINE)
    at = format_line.end() if format_line else len(text)
    before = text[:at]
    if before and not before.endswith("\n"):
        before += newline
    return f"{before}{key}: {value}{newline}{text[at:]}"
