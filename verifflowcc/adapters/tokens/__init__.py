"""Counting tokens, exactly and offline, without the half second that building tiktoken's encoder costs."""
