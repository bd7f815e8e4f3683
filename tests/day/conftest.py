"""The clients, and a desk to work at, as the tests of clients have them."""

from tests.clients.conftest import claude, codex, desk

__all__ = ["claude", "codex", "desk"]
