"""`bakeoff schema`: JSON Schemas of the file formats, for editors."""

from __future__ import annotations

import click


@click.command(short_help="Print the JSON Schema of a file format.")
@click.argument("name", metavar="[FORMAT]", required=False)
def command(name: str | None) -> int:
    """Print the JSON Schema (2020-12) of a file format, or the names of all formats.

    The schemas are made from the classes that read the files. A text may be written as any
    single value, as the loader takes its source text. Put the schema into a file, and name it
    in the first line of yours: `# yaml-language-server: $schema=bakeoff.schema.json`.
    `agent-protocol` is a line that an agent of the generic harness prints.
    """
    import json

    from bakeoff.dialects.formats import FORMATS
    from bakeoff.dialects.problems import suggestion
    from bakeoff.errors import UserError
    from bakeoff.harness.generic.protocol import json_schema

    schemas = {**FORMATS, "agent-protocol": json_schema}
    if name is None:
        click.echo("\n".join(schemas))
        return 0
    if name not in schemas:
        raise UserError(f"there is no format {name!r}", hint=suggestion(name, schemas))
    click.echo(json.dumps(schemas[name](), indent=2, ensure_ascii=False, allow_nan=False))
    return 0
