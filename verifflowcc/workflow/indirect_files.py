"""Which files of the project decide what an allowed command does, beside its own words."""

from collections.abc import Sequence

_BY_PROGRAM = {
    "make": ("GNUmakefile", "makefile", "Makefile"),
    "gmake": ("GNUmakefile", "makefile", "Makefile"),
    "npm": ("package.json",),
    "pnpm": ("package.json",),
    "yarn": ("package.json",),
    "bun": ("package.json",),
    "tox": ("tox.ini", "tox.toml"),
    "nox": ("noxfile.py",),
    "just": ("justfile", "Justfile"),
    "task": ("Taskfile.yml",),
    "rake": ("Rakefile",),
    "mvn": ("pom.xml",),
    "gradle": ("build.gradle", "build.gradle.kts"),
    "gradlew": ("build.gradle", "build.gradle.kts"),
}


def indirect_files(argv: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the files in which a runner of tasks looks up what to run.

    >>> indirect_files(["/usr/bin/make", "test"])[-1], indirect_files(["pytest"])
    ('Makefile', ())
    """
    return _BY_PROGRAM.get(argv[0].rpartition("/")[2], ()) if argv else ()
