"""Cut a text where both encodings must end a token, so that the chunks' counts add up to the text's count.

Two such places are used. After a line feed, before anything but whitespace and `/`: a piece that holds a line feed
holds after it only whitespace or (in o200k_base) `/`, and whitespace up to the last line feed before other text is one
piece. And between an ASCII letter and a space with an ASCII letter after it: a run of letters ends its piece at its
end. Neither pattern looks back, and none looks ahead beyond whitespace.
"""

import re
from collections.abc import Iterator

SMALLEST = 256
USUAL = 2048
LARGEST = 8192

_HEADING = "\n#"
PARAGRAPH = re.compile(r"(?<=\n\n)(?=[^\s/])")
LINE = re.compile(r"(?<=\n)(?=[^\s/])")
ANYWHERE = re.compile(r"(?<=\n)(?=[^\s/])|(?<=[A-Za-z])(?= [A-Za-z])")


def split(text: str) -> Iterator[str]:
    """Yield the chunks of `text`, in order; joined they are the text.

    A chunk has at least `SMALLEST` characters, save the last. It ends before the first Markdown heading after that,
    else past `USUAL` characters at a paragraph, else a line, else between words. Cuts depend on what is near, so that
    an edit changes the chunks up to the next heading or a few more.
    """
    start = 0
    while len(text) - start > SMALLEST:
        end = _next_cut(text, start)
        yield text[start:end]
        start = end
    if start < len(text):
        yield text[start:]


def _next_cut(text: str, start: int) -> int:
    heading = text.find(_HEADING, start + SMALLEST - 1, start + USUAL)
    if heading >= 0:
        return heading + 1
    if len(text) - start <= USUAL:
        return len(text)
    for pattern, reach in ((PARAGRAPH, 2 * USUAL), (LINE, LARGEST), (ANYWHERE, len(text))):
        found = pattern.search(text, start + USUAL, start + reach)
        if found:
            return found.start()
    return len(text)
