"""Where package managers keep their files during setup: in caches that Bakeoff owns."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType


def setup_caches(directory: str) -> Mapping[str, str]:
    """Variables that make package managers keep their files below `directory`.

    Only setup writes there; agent and checks have the empty caches of their private HOME.
    Files are copied out of the caches, never hard-linked: an agent could otherwise change
    a cache through its own workspace.
    """
    return MappingProxyType(
        {
            "UV_CACHE_DIR": f"{directory}/uv",
            "UV_PYTHON_INSTALL_DIR": f"{directory}/uv-python",
            "UV_LINK_MODE": "copy",
            "PIP_CACHE_DIR": f"{directory}/pip",
            "npm_config_cache": f"{directory}/npm",
            "npm_config_store_dir": f"{directory}/pnpm",
            "npm_config_package_import_method": "copy",
            "YARN_CACHE_FOLDER": f"{directory}/yarn",
            "CARGO_HOME": f"{directory}/cargo",
            "GOMODCACHE": f"{directory}/go-mod",
            "GOCACHE": f"{directory}/go-build",
            # Without it go makes its folders read-only, and nobody can remove them.
            "GOFLAGS": "-modcacherw",
        }
    )


def needed_from_caches(directory: str) -> tuple[str, ...]:
    """Parts of the caches that what setup installed goes on needing: visible read-only later.

    A virtual environment links to the Python that uv downloaded for it.
    """
    return (f"{directory}/uv-python",)
