"""A person's own settings: `$XDG_CONFIG_HOME/vfcc/config.yaml` and the environment → `UserSettings`.

Where there is no such file, neither yaml nor pydantic is imported.
"""

import os
from collections.abc import Mapping

from verifflowcc.adapters.files.user_home import user_settings_file
from verifflowcc.domain.user_settings import UserSettings
from verifflowcc.records import replace

URL_VARIABLE = "VFCC_POSTGRES_URL"


def user_settings(env: Mapping[str, str] = os.environ) -> UserSettings:
    """Return the person's settings, the defaults where there is no file; a server in the environment goes first.

    Raises ConfigError with all problems, each `PATH:LINE: …`, and WorkspaceError where the file cannot be read or there
    is no home folder.
    """
    from verifflowcc.adapters.config.read import read_small

    path = user_settings_file(env)
    # A person's own file may be a link to wherever they keep such files.
    data = read_small(path, str(path), inside=path.resolve().parent)
    found = UserSettings()
    if data is not None:
        from verifflowcc.adapters.config.user_section import read_user_settings

        found = read_user_settings(data, str(path))
    url = env.get(URL_VARIABLE, "").strip()
    return replace(found, postgres_url=url) if url else found
