"""The shipped prompt templates and partials, read for tests."""

from pathlib import Path

FOLDER = Path(__file__).parents[2] / "templates" / "prompts"
SHIPPED = {path.name: path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.md.j2"))}
PARTIALS = {
    f"partials/{path.name}": path.read_text(encoding="utf-8") for path in sorted((FOLDER / "partials").glob("*.md.j2"))
}
