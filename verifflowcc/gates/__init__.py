"""Gates: evidence, criteria, approvals, waivers, canaries, proofs."""
