"""`config.yaml` and the settings of a person: read, validated, cached."""
