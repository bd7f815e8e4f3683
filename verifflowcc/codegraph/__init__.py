"""Source text to definitions, references and imports; which definition a name means; what bears on a task. Pure."""
