"""Which harnesses a native suite may name."""

from __future__ import annotations

from dataclasses import dataclass

from bakeoff.dialects.problems import Problems, quoted, suggestion
from bakeoff.errors import Where
from bakeoff.harness import registry


@dataclass(frozen=True, slots=True, kw_only=True)
class Harnesses:
    """The harnesses that there are; with plugins there may be others, which nobody can know yet."""

    with_plugins: bool = False

    def check(self, name: str, where: Where, key: str, problems: Problems) -> bool:
        """Whether `name` may be a harness; what cannot be one is recorded at `where`."""
        known = [*registry.HARNESSES, *registry.NOT_YET]
        if name in known or self.with_plugins:
            return True
        full = registry.full_name(name)
        hint = f"write `{full}`" if full != name else suggestion(name, known)
        problems.error(where, f"`{key}`: there is no harness {quoted(name)}", hint)
        return False
