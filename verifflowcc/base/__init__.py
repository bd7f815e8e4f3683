"""The kernel: values, text, files, git, configuration and the terminal; it knows no capability."""
