"""Pure: fingerprints, checks, coverage, impact, matrix."""
