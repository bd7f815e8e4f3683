"""Texts: digests, Markdown, ids, dates, secrets; pure."""
