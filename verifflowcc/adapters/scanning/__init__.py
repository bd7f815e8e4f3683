"""Libraries that look for secrets, where a project asks for one."""
