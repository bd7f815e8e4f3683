"""What kind of voice the output of a tool is: the machine here, another agent, or a text from elsewhere."""

import re

from verifflowcc.domain.turns import Speaker

OWN = "vfcc"
"""The tool whose output is what vfcc remembers already."""
_WEB = re.compile(r"(?i)web|browser|fetch|search_query|open_page|url")
_AGENTS = frozenset({"task", "agent", "spawn_agent", "wait_agent", "sendmessage"})
_OUTSIDE_COMMAND = re.compile(
    r"(?:^|[\s;&|($`'\"\[,])(?:curl|wget|lynx|w3m|gh|glab|http|https|xh|aria2c|ssh|scp|rsync)(?=[\s'\",]|$)|https?://"
)
_OWN_COMMAND = re.compile(r"(?:^|[\s;&|($`'\"\[,/])vfcc(?=[\s'\",]|$)|\.memory/|/vfcc/user/")


def voice_of_tool(name: str, asked: str) -> tuple[Speaker, str]:
    """Return the voice of a tool's output, and the tool's name; `asked` is what it was called with, as text.

    What a page, an MCP server or a command that reaches the network brought is OUTSIDE; what another agent answered is
    an agent's. The name is `vfcc` where vfcc itself, or a file that it keeps, is what speaks.

    >>> [voice_of_tool(*each)[0].value for each in (("Bash", "make test"), ("WebFetch", ""), ("Bash", "curl -s x.org"))]
    ['tool', 'outside', 'outside']
    >>> voice_of_tool("Bash", "vfcc memory list"), voice_of_tool("mcp__github__get_issue", "")[0].value
    ((<Speaker.TOOL: 'tool'>, 'vfcc'), 'outside')
    """
    plain = name.casefold()
    if plain.startswith("mcp__vfcc__") or _OWN_COMMAND.search(asked):
        return Speaker.TOOL, OWN
    if plain in _AGENTS:
        return Speaker.AGENT, name
    outside = plain.startswith("mcp__") or _WEB.search(plain) or _OUTSIDE_COMMAND.search(asked)
    return (Speaker.OUTSIDE if outside else Speaker.TOOL), name
