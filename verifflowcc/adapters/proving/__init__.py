"""Running tests on a content of a repository, in a folder of its own."""
