"""The scripted model server says what its script tells it, and nothing else."""

import gzip
import http.client
import json
import os
import subprocess
import sys
import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import machine
from support.model_script import (
    Failure,
    Route,
    Script,
    Tokens,
    ToolUse,
    Turn,
    one_route,
    script_from_json,
)
from support.model_server import ModelServer

BASH = [{"name": "Bash"}]


def ask(server, *messages, path="/v1/messages?beta=true", stream=False, session="", tools=BASH, system=""):
    """Status, headers and raw body of the answer to a conversation of alternating texts."""
    roles = ("user", "assistant")
    body = {
        "model": "some-model",
        "system": system,
        "stream": stream,
        "tools": tools,
        "messages": [{"role": roles[n % 2], "content": content} for n, content in enumerate(messages)],
        "metadata": {"user_id": f"user_1_session_{session}"},
    }
    return post(server, path, json.dumps(body).encode())


def post(server, path, body, headers=None, *, timeout_s=10):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=timeout_s)
    try:
        connection.request("POST", path, body, headers or {})
        response = connection.getresponse()
        return response.status, dict(response.headers), response.read()
    finally:
        connection.close()


def said(answer):
    status, _, body = answer
    return status, "".join(block.get("text", "") for block in json.loads(body).get("content", []))


def events_in(body):
    return [
        json.loads(line.removeprefix("data: "))
        for line in body.decode().splitlines()
        if line.startswith("data: ")
    ]


def test_the_turn_is_told_by_the_history_of_the_request():
    with ModelServer(one_route([Turn(text="first"), Turn(text="second")])) as server:
        assert said(ask(server, "hi", "first", "go on")) == (200, "second")
        assert said(ask(server, "hi")) == (200, "first")
        assert said(ask(server, "hi", "first", "go on", "second", "and?")) == (200, "second")
        assert [request.place for request in server.wait_for(3)] == ["0.1", "0.0", "0.2"]


def test_an_action_is_not_repeated_after_the_end():
    with ModelServer(one_route([Turn(tools=(ToolUse(name="Bash"),))])) as server:
        assert said(ask(server, "hi", "x", "more")) == (200, "done")


def test_routes_are_told_apart_by_words_of_user_and_system():
    script = Script(
        routes=(
            Route(when="SUBTASK", unless="MAINTASK", turns=(Turn(text="sub"),)),
            Route(when="MAINTASK", turns=(Turn(text="main"),)),
            Route(when="IN-SYSTEM", turns=(Turn(text="system"),)),
        )
    )
    with ModelServer(script) as server:
        assert said(ask(server, "do SUBTASK")) == (200, "sub")
        assert said(ask(server, "MAINTASK: delegate SUBTASK")) == (200, "main")
        assert said(ask(server, "hello", system="IN-SYSTEM")) == (200, "system")
        status, _, body = ask(server, "nothing that fits")
        assert (status, json.loads(body)["error"]["type"]) == (400, "invalid_request_error")
        assert server.wait_for(4)[-1].place == "none"


def test_requests_without_tools_are_side_calls_unless_the_script_says_otherwise():
    with ModelServer(one_route([Turn(text="main")])) as server:
        assert said(ask(server, "make a title", tools=[])) == (200, "ok")
        assert server.wait_for(1)[0].place == "side"
    with ModelServer(one_route([Turn(text="main")], side=None)) as server:
        assert said(ask(server, "make a title", tools=[])) == (200, "main")


TALKATIVE = Turn(
    text="Look.",
    thinking="Hmm.",
    tools=(ToolUse(name="Bash", input={"command": "ls", "n": [1, {"a": None}]}, id="toolu_1"),),
    tokens=Tokens(input=11, output=22, cache_read=33, cache_write=44),
)
USAGE = {
    "input_tokens": 11,
    "output_tokens": 22,
    "cache_read_input_tokens": 33,
    "cache_creation_input_tokens": 44,
}


def test_a_whole_reply_holds_thinking_text_tools_and_usage():
    with ModelServer(one_route([TALKATIVE])) as server:
        message = json.loads(ask(server, "hi")[2])
    assert [block["type"] for block in message["content"]] == ["thinking", "text", "tool_use"]
    assert message["content"][2]["input"] == {"command": "ls", "n": [1, {"a": None}]}
    assert message["stop_reason"] == "tool_use"
    assert message["usage"] == USAGE
    assert message["model"] == "some-model"


def test_a_stream_adds_up_to_the_whole_reply():
    with ModelServer(one_route([TALKATIVE])) as server:
        status, headers, body = ask(server, "hi", stream=True)
    assert (status, headers["content-type"]) == (200, "text/event-stream")
    events = events_in(body)
    assert [event["type"] for event in events][:2] == ["message_start", "ping"]
    deltas = [event["delta"] for event in events if event["type"] == "content_block_delta"]
    assert [delta["type"] for delta in deltas] == [
        "thinking_delta",
        "signature_delta",
        "text_delta",
        "input_json_delta",
    ]
    assert json.loads(deltas[3]["partial_json"]) == {"command": "ls", "n": [1, {"a": None}]}
    begun = next(event for event in events if event["type"] == "content_block_start" and event["index"] == 2)
    assert begun["content_block"] == {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {}}
    assert events[-2]["usage"] == USAGE
    assert events[-2]["delta"]["stop_reason"] == "tool_use"
    assert events[-1]["type"] == "message_stop"


def test_usage_that_the_script_leaves_open_is_estimated_and_a_stop_reason_can_be_set():
    with ModelServer(one_route([Turn(text="cut off he", stop="max_tokens")])) as server:
        message = json.loads(ask(server, "a prompt of some length")[2])
    assert message["usage"]["input_tokens"] > 10
    assert message["usage"]["output_tokens"] == 2
    assert message["stop_reason"] == "max_tokens"


def test_failures_end_after_their_times_for_each_session_by_itself():
    script = one_route([Turn(text="at last", failure=Failure(status=429, times=2, retry_after_s=1.5))])
    one, other = "0" * 8 + "-0000-0000-0000-" + "1" * 12, "0" * 8 + "-0000-0000-0000-" + "2" * 12
    with ModelServer(script) as server:
        answers = [ask(server, "hi", session=session) for session in (one, one, other, one, other, other)]
        assert [answer[0] for answer in answers] == [429, 429, 429, 200, 429, 200]
        assert answers[0][1]["retry-after"] == "1.5"
        assert json.loads(answers[0][2])["error"] == {
            "type": "rate_limit_error",
            "message": "a scripted failure",
        }
        assert [request.session for request in server.wait_for(6)] == [one, one, other, one, other, other]


@pytest.mark.parametrize(
    ("status", "kind"),
    [(400, "invalid_request_error"), (401, "authentication_error"), (529, "overloaded_error")],
)
def test_failures_without_times_never_end(status, kind):
    with ModelServer(one_route([Turn(failure=Failure(status=status, message="no"))])) as server:
        for _ in range(3):
            answer = ask(server, "hi")
            assert (answer[0], json.loads(answer[2])) == (
                status,
                {"type": "error", "error": {"type": kind, "message": "no"}},
            )


def test_tool_results_and_the_directory_can_be_used_in_an_answer():
    turn = Turn(text="saw {{tool_result}}", tools=(ToolUse(name="Read", input={"path": ["{{cwd}}/a.py"]}),))
    result = [{"type": "tool_result", "tool_use_id": "t", "content": [{"type": "text", "text": "42"}]}]
    with ModelServer(one_route([Turn(), turn])) as server:
        answer = json.loads(
            ask(server, "hi", "", result, system="Primary working directory: /some/where\nmore")[2]
        )
    assert answer["content"][0]["text"] == "saw 42"
    assert answer["content"][1]["input"] == {"path": ["/some/where/a.py"]}


def test_a_dropped_stream_ends_in_the_middle():
    with ModelServer(one_route([Turn(text="cut", drop=True)])) as server:
        with pytest.raises((http.client.IncompleteRead, ConnectionResetError)):
            ask(server, "hi", stream=True)
        assert [request.status for request in server.wait_for(1)] == [0]


@pytest.mark.parametrize("silence", [{"hang_s": 600.0}, {"hang_before_s": 600.0}])
def test_a_silence_ends_when_the_client_hangs_up_and_when_the_server_stops(silence):
    script = one_route([Turn(text="never", **silence)])
    with ModelServer(script) as server:
        with pytest.raises(TimeoutError):
            post(server, "/v1/messages", json.dumps({"stream": True, "tools": BASH}).encode(), timeout_s=0.3)
        assert [request.status for request in server.wait_for(1)] == [0]
        waiting = threading.Thread(target=swallow, args=(server,))
        waiting.start()
        began = time.monotonic()
    waiting.join(60)
    assert not waiting.is_alive()
    assert time.monotonic() - began < 60


def swallow(server):
    try:
        post(server, "/v1/messages", json.dumps({"stream": True, "tools": BASH}).encode(), timeout_s=20)
    except (http.client.HTTPException, OSError):
        return


def test_a_stream_has_begun_before_its_silence_and_not_before_the_other():
    with ModelServer(one_route([Turn(text="late", hang_s=0.3)])) as server:
        began = time.monotonic()
        kinds = [event["type"] for event in events_in(ask(server, "hi", stream=True)[2])]
        assert time.monotonic() - began >= 0.3
        assert kinds[0] == "message_start"
        assert kinds[-1] == "message_stop"
    with ModelServer(one_route([Turn(text="late", delay_s=0.2)])) as server:
        began = time.monotonic()
        assert said(ask(server, "hi")) == (200, "late")
        assert time.monotonic() - began >= 0.2


def test_bodies_come_compressed_and_in_pieces():
    body = json.dumps({"messages": [{"role": "user", "content": "hi"}], "tools": BASH}).encode()
    with ModelServer(one_route([Turn(text="read")])) as server:
        assert said(post(server, "/v1/messages", gzip.compress(body), {"content-encoding": "gzip"})) == (
            200,
            "read",
        )
        assert said(post(server, "/v1/messages", iter([body[:7], body[7:]]))) == (200, "read")
        for headers, bad in (({"content-encoding": "zstd"}, body), ({}, b"[]"), ({}, b"{")):
            assert post(server, "/v1/messages", bad, headers)[0] == 400
        assert [request.kind for request in server.wait_for(5)] == ["model", "model"] + ["unreadable"] * 3


def test_other_paths_are_answered_and_logged_without_keys():
    with ModelServer(one_route([Turn(text="x")])) as server:
        status, _, body = post(
            server, "/v1/messages/count_tokens", b'{"messages": []}', {"X-Api-Key": "secret"}
        )
        assert (status, json.loads(body)) == (200, {"input_tokens": 4})
        assert post(server, "/v1/elsewhere", b"{}")[0] == 404
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=5)
        connection.request("HEAD", "/api/hello")
        assert connection.getresponse().status == 200
        connection.close()
        assert [(request.kind, request.status) for request in server.wait_for(3)] == [
            ("count", 200),
            ("other", 404),
            ("other", 200),
        ]
        assert server.requests[0].headers["x-api-key"] == "(not kept)"


def test_many_conversations_at_once_do_not_disturb_each_other():
    script = one_route([Turn(text=str(n)) for n in range(5)])
    answers: dict[str, list[str]] = {}

    def talk(name):
        history = [name]
        for _ in range(5):
            text = said(ask(server, *history))[1]
            answers.setdefault(name, []).append(text)
            history += [text, "go on"]

    with ModelServer(script) as server:
        threads = [threading.Thread(target=talk, args=(f"conversation {n}",)) for n in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert list(answers.values()) == [["0", "1", "2", "3", "4"]] * 8


texts = st.text(max_size=20)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | texts, lambda inner: st.lists(inner, max_size=2), max_leaves=4
)
tool_uses = st.builds(ToolUse, name=texts, input=st.dictionaries(texts, json_values, max_size=2), id=texts)
failures = st.builds(
    Failure,
    status=st.integers(400, 599),
    times=st.none() | st.integers(0, 3),
    retry_after_s=st.none() | st.floats(0, 9),
)
tokens = st.builds(
    Tokens,
    input=st.none() | st.integers(0, 9),
    output=st.none() | st.integers(0, 9),
    cache_read=st.integers(0, 9),
)
turns = st.builds(
    Turn,
    text=texts,
    thinking=texts,
    tools=st.lists(tool_uses, max_size=2).map(tuple),
    tokens=tokens,
    failure=st.none() | failures,
    hang_s=st.floats(0, 9),
    drop=st.booleans(),
)
routes = st.builds(Route, turns=st.lists(turns, min_size=1, max_size=2).map(tuple), when=texts, unless=texts)


@given(st.builds(Script, routes=st.lists(routes, min_size=1, max_size=2).map(tuple), side=st.none() | turns))
def test_a_script_survives_the_way_through_json(script):
    assert script_from_json(script.to_json()) == script


@pytest.mark.parametrize(
    "text",
    [
        '{"routes": [{"turns": [{"txt": "misspelt"}]}]}',
        '{"routes": [{"turns": [], "where": "x"}]}',
        '{"routes": [], "extra": 1}',
        '{"routes": [{"turns": [{"failure": {"code": 1}}]}]}',
    ],
)
def test_an_unknown_key_of_a_script_is_refused(text):
    with pytest.raises(TypeError):
        script_from_json(text)


def test_it_can_be_started_by_hand(tmp_path):
    (tmp_path / "script.json").write_text('{"routes": [{"turns": [{"text": "by hand"}]}]}')
    argv = [sys.executable, "-m", "support.model_server", str(tmp_path / "script.json")]
    environment = os.environ | machine.python_environment()
    with subprocess.Popen(argv, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        url = json.loads(process.stdout.readline())["url"]
        connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=5)
        connection.request("POST", "/v1/messages", json.dumps({"tools": BASH}))
        assert json.loads(connection.getresponse().read())["content"][0]["text"] == "by hand"
        connection.close()
        assert json.loads(process.stdout.readline())["place"] == "0.0"
        process.terminate()
