"""Runs: agents driven through the stages of a sprint, one attempt after the other, each judged by its gate."""
