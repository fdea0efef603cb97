"""The scripted harness as an adapter."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import BaseModel

from bakeoff import __version__
from bakeoff.harness.fake.launch import fake_launch, interpreter
from bakeoff.harness.fake.options import FakeOptions
from bakeoff.harness.protocol import Ask, Launch, LaunchRequest, Probe, StreamParser
from bakeoff.model.suite import PlacementKind


class Fake:
    """Plays a behaviour or a script as a real process; needs no model, key or network."""

    name = "fake"
    Options: type[BaseModel] = FakeOptions
    credentials: tuple[str, ...] = ()
    login_file: str | None = None
    placements: Mapping[PlacementKind, str] = {
        PlacementKind.INSTRUCTIONS: "CLAUDE.md",
        PlacementKind.SKILLS: ".claude/skills",
    }

    def probe(self, ask: Ask, path: str, options: BaseModel) -> Probe:
        """Always there: it runs on the interpreter that runs Bakeoff."""
        return Probe(available=True, version=__version__, executable=interpreter())

    def launch(self, request: LaunchRequest) -> Launch:
        """How to start the scripted agent; UserError for what it cannot play."""
        options = request.options
        if not isinstance(options, FakeOptions):
            raise TypeError(f"not the options of {self.name}: {type(options).__name__}")
        return fake_launch(request, options)

    def parser(self, options: BaseModel) -> StreamParser:
        """A fresh parser."""
        from bakeoff.harness.fake.parse import FakeParser

        return FakeParser()
