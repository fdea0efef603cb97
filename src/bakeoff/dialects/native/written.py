"""What the values of a suite look like in a file: paths relative to it, numbers without needless digits."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import NoneType
from typing import get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from bakeoff.errors import UserError
from bakeoff.identity import display_path

Plain = dict[str, object]


@dataclass(frozen=True, slots=True)
class Folder:
    """The directory in which the file will lie."""

    path: Path

    def relative(self, path: Path) -> str:
        """A path as the file names it; UserError when a text cannot hold it."""
        text = os.path.relpath(os.path.realpath(path), os.path.realpath(self.path))
        try:
            text.encode("utf-8")
        except UnicodeEncodeError:
            shown = display_path(os.fsencode(path))
            raise UserError(
                f"{shown} cannot be written into a file: its name is not UTF-8", hint="rename it"
            ) from None
        return text


def said(**values: object) -> Plain:
    """The values that say something: neither None nor empty."""
    return {name: value for name, value in values.items() if not is_nothing(value)}


def is_nothing(value: object) -> bool:
    """Whether a value is None, or an empty text, list or mapping."""
    return value is None or (isinstance(value, str | list | tuple | dict) and not value)


def number(value: float) -> float | int:
    """A number as a person would type it where any number is read."""
    return int(value) if float(value).is_integer() and abs(value) < 1e15 else float(value)


def plain_value(value: object, folder: Folder) -> object:
    """Any value of options or notes: lists in place of tuples, paths relative."""
    if isinstance(value, Path):
        return folder.relative(value)
    if isinstance(value, Mapping):
        return {str(key): plain_value(item, folder) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain_value(item, folder) for item in value]
    return value


def fields_of(model: BaseModel, leave_out: frozenset[str], folder: Folder) -> Plain:
    """The fields of a border class by their keys; those that say nothing, as by default, are left out."""
    found: Plain = {}
    for name, info in type(model).model_fields.items():
        value = getattr(model, name)
        if name in leave_out or (
            is_nothing(value) and not info.is_required() and value == info.get_default()
        ):
            continue
        found[info.alias or name] = _field(value, info, folder)
    return found


def _field(value: object, info: FieldInfo, folder: Folder) -> object:
    if isinstance(value, BaseModel):
        return fields_of(value, frozenset(), folder)
    if isinstance(value, tuple | list):
        return [_field(item, info, folder) for item in value]
    if isinstance(value, float) and _is_number(info):
        return number(value)
    return plain_value(value, folder)


def _is_number(info: FieldInfo) -> bool:
    kinds = {each for each in (info.annotation, *get_args(info.annotation)) if each is not NoneType}
    return float in kinds
