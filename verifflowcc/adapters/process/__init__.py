"""Running a project's commands, and which of them this machine allows."""
