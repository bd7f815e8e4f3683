"""Hostile variants of inputs: each follows from a sample and a seed, so that one that once opened something is kept."""

import random
from collections.abc import Sequence

TOKENS = (
    b"\0",
    b"\xff\xfe",
    b"\xed\xa0\x80",
    b"\xef\xbb\xbf",
    b"\r\n",
    b"\r",
    b"\x1b[2J",
    "\u202e".encode(),
    "\u2028".encode(),
    b"<!ENTITY a 'aaaaaaaaaa'>&a;",
    b"<![CDATA[]]>",
    b"]]>",
    b"-->",
    b"&#0;",
    b"&lt;",
    b"1e999999",
    b"-0",
    b"NaN",
    b"9" * 400,
    b"[" * 3_000,
    b"{" * 3_000,
    b'{"a":' * 2_000,
    b"<a>" * 2_000,
    b"- " * 2_000,
    b"#" * 2_000,
    b"`" * 2_000,
    b'"',
    b"'",
    b"\\u0000",
    b"\\ud800",
    b"../../../../etc/passwd",
    b"&x *x",
    b"!!python/object:os.system ls",
    b"a" * 20_000,
    b"\n" * 5_000,
    b"(a+)+$",
    b";;;;",
    b"---\n",
    b"true",
    b"null",
)


def variant(samples: Sequence[bytes], seed: int) -> bytes:
    """Return a variant of one of some samples: cut, doubled, shuffled, with bytes flipped and tokens put in."""
    draw = random.Random(seed)
    data = bytearray(draw.choice(samples))
    for _ in range(draw.randint(1, 6)):
        _change(data, draw)
    return bytes(data[:400_000])


def _change(data: bytearray, draw: random.Random) -> None:
    at, other = sorted((draw.randint(0, len(data)), draw.randint(0, len(data))))
    match draw.randrange(7):
        case 0:
            del data[at:other]
        case 1:
            data[at:at] = data[at:other]
        case 2:
            data[at:at] = draw.choice(TOKENS)
        case 3:
            for _ in range(draw.randint(1, 8)):
                if data:
                    data[draw.randrange(len(data))] = draw.randrange(256)
        case 4:
            lines = bytes(data).split(b"\n")
            draw.shuffle(lines)
            data[:] = b"\n".join(lines)
        case 5:
            words = bytes(data).split(b" ")
            data[:] = b" ".join(draw.choice(TOKENS) if draw.random() < 0.05 else each for each in words)
        case _:
            data[at:other] = draw.choice(TOKENS)
