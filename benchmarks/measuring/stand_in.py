"""A stand-in for Claude Code that does nothing, in the words that programs around it wait for."""

from __future__ import annotations

from pathlib import Path

FLAGS = (
    "--print --output-format --input-format --verbose --max-turns --permission-mode --permission-prompts"
    " --no-session-persistence --strict-mcp-config --setting-sources --session-id --resume --settings"
    " --include-hook-events --include-partial-messages --model --allowedTools --disallowedTools --tools"
    " --plugin-dir --append-system-prompt --append-system-prompt-file --effort --autocompact --bare"
    " --max-budget-usd --mcp-config --add-dir --fallback-model --dangerously-skip-permissions"
)

PROGRAM = r"""#!/bin/sh
case " $* " in
*" --version "*|*" -v "*) echo "2.1.0 (Claude Code)"; exit 0;;
*" --help "*) echo "Usage: claude -p FLAGS" | tr ' ' '\n'; exit 0;;
esac
session=00000000-0000-4000-8000-000000000000
previous=
for argument; do
  [ "$previous" = --session-id ] && session=$argument
  previous=$argument
done
usage='"usage":{"input_tokens":1,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":1}'
said='{"type":"assistant","message":{"id":"msg_1","type":"message","role":"assistant","model":"stand-in","content":[{"type":"text","text":"Nothing to do."}],"stop_reason":"end_turn",'"$usage"'},"session_id":"'"$session"'"}'
case " $* " in
*" stream-json "*)
  echo '{"type":"system","subtype":"init","cwd":"'"$PWD"'","session_id":"'"$session"'","tools":[],"mcp_servers":[],"model":"stand-in","permissionMode":"acceptEdits","skills":[],"plugins":[]}'
  echo "$said";;
esac
folder=$HOME/.claude/projects/stand-in
[ -d "$folder" ] || mkdir -p "$folder"
echo "$said" > "$folder/$session.jsonl"
echo '{"type":"result","subtype":"success","is_error":false,"duration_ms":1,"duration_api_ms":1,"num_turns":1,"result":"Nothing to do.","session_id":"'"$session"'","total_cost_usd":0.0,'"$usage"',"modelUsage":{"stand-in":{"inputTokens":1,"outputTokens":1,"cacheReadInputTokens":0,"cacheCreationInputTokens":0,"costUSD":0.0}},"permission_denials":[]}'
"""


def write_stand_in(root: Path) -> Path:
    """Put the program into a directory below `root`; that directory, for PATH."""
    folder = root / "bin"
    folder.mkdir()
    program = folder / "claude"
    program.write_text(PROGRAM.replace("FLAGS", FLAGS))
    program.chmod(0o755)
    return folder
