"""Pure text: digests, canonical JSON, sections, fences, words."""
