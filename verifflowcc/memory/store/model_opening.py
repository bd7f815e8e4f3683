"""Open the model that a person named in their own settings, if they named one. Nothing is run or sent by that."""

from verifflowcc.base.model.config_values import ModelSettings
from verifflowcc.base.model.ports import Count, Model


def open_model(settings: ModelSettings, count: Count | None = None) -> Model | None:
    """Return the model, or None where none is named; `count` counts tokens where the model does not say them."""
    from verifflowcc.memory.store.model_api import CommandModel, estimate

    if settings.command:
        return CommandModel(settings.command, settings.timeout_s, count or estimate)
    if settings.api:
        from verifflowcc.memory.store.model_api import ApiModel

        return ApiModel(settings.api, settings.timeout_s, count or estimate)
    return None
