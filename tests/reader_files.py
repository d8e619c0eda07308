"""Small files of every format, made up here, and how the reader tests read them."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any, Final

from trajwiki.readers import Options, Reading, read_all

LOCOMO: Final = [
    {
        "sample_id": "conv-1",
        "conversation": {
            "speaker_a": "Ana",
            "speaker_b": "Bo",
            "session_2_date_time": "9:05 am on 12 June, 2023",
            "session_2": [{"speaker": "Bo", "dia_id": "D2:1", "text": "Back from the lake."}],
            "session_10_date_time": "12:48 am on 1 July, 2023",
            "session_10": [{"speaker": "Ana", "dia_id": "D10:1", "text": "Late!", "blip_caption": "a photo of a moon",
                            "img_url": ["https://example.invalid/moon.jpg"], "query": "moon"}],
        },
        "qa": [{"question": "Who was at the lake?", "answer": "Bo"}],
    },
    {"sample_id": "conv-2", "conversation": {"session_1": [{"speaker": "Cy", "dia_id": "D2:1", "text": "No date."}]}},
]  # fmt: skip

REALTALK: Final = {
    "name": {"speaker_1": "Ana", "speaker_2": "Bo"},
    "session_1": [
        {"speaker": "Ana", "dia_id": "D1:1", "clean_text": "Hi!", "date_time": "29.12.2023, 20:27:17"},
        {"speaker": "Bo", "dia_id": "D1:2", "clean_text": "Hello.", "date_time": "30.12.2023, 08:01:02"},
    ],
    "session_1_date_time": "29.12.2023, 20:27:17",
}

OPENAI: Final = {
    "messages": [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "name": "Ana", "content": [
            {"type": "text", "text": "What is this?"},
            {"type": "image_url", "image_url": {"url": "https://example.invalid/cat.png"}}]},
        {"role": "assistant", "content": None, "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "c1", "content": "a cat"},
        {"role": "assistant", "content": "A cat."},
    ]
}  # fmt: skip


def _node(key: str, parent: str | None, role: str, text: str, **message: Any) -> dict[str, Any]:
    body = {"id": f"m-{key}", "author": {"role": role}, "create_time": 1704067200.5,
            "content": {"content_type": "text", "parts": [text]}, **message}  # fmt: skip
    return {"id": key, "parent": parent, "children": [], "message": body}


CHATGPT: Final = [
    {
        "id": "talk-1",
        "title": "Trip",
        "current_node": "d",
        "mapping": {
            "root": {"id": "root", "parent": None, "children": ["a"], "message": None},
            "a": _node("a", "root", "system", "secret", metadata={"is_visually_hidden_from_conversation": True}),
            "b": _node("b", "a", "user", "I moved to Porto."),
            "b2": _node("b2", "a", "user", "I moved to Faro."),
            "call": _node("call", "b", "assistant", "search()", recipient="web"),
            "out": _node("out", "call", "tool", "sunny", author={"role": "tool", "name": "web"}),
            "d": _node("d", "out", "assistant", "Nice weather there."),
            "d2": _node("d2", "b2", "assistant", "The south!"),
        },
    }
]

CLAUDE: Final = [
    {
        "uuid": "c1",
        "name": "Dinner",
        "chat_messages": [
            {"uuid": "m1", "sender": "human", "text": "I like figs.", "created_at": "2026-01-15T10:30:00Z",
             "content": [{"type": "text", "text": "I like figs."}],
             "attachments": [{"file_name": "list.txt", "extracted_content": "not said"}]},
            {"uuid": "m2", "sender": "assistant", "text": "placeholder", "created_at": "2026-01-15T10:30:09Z",
             "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "Noted."},
                         {"type": "tool_use", "id": "t1", "name": "web", "input": {}},
                         {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "figs"}]}]},
        ],
    }
]  # fmt: skip

CLAUDE_CODE: Final = [
    {"type": "summary", "summary": "Old", "leafUuid": "x"},
    {"type": "user", "uuid": "u1", "sessionId": "s", "timestamp": "2026-07-01T10:00:00Z",
     "message": {"role": "user", "content": "Fix the tests."}},
    {"type": "assistant", "uuid": "a1", "sessionId": "s", "timestamp": "2026-07-01T10:00:01Z",
     "message": {"role": "assistant", "content": [
         {"type": "thinking", "thinking": "hm"}, {"type": "tool_use", "id": "t", "name": "Bash", "input": {}}]}},
    {"type": "user", "uuid": "u2", "sessionId": "s", "timestamp": "2026-07-01T10:00:02Z",
     "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "1 failed"}]}},
    {"type": "user", "uuid": "u3", "sessionId": "s", "message": {"role": "user", "content": "<command-name>/x"}},
    {"type": "user", "uuid": "u1", "sessionId": "s", "message": {"role": "user", "content": "A copy."}},
    {"type": "user", "uuid": "u4", "sessionId": "s", "isSidechain": True, "timestamp": "2026-07-01T10:00:03Z",
     "message": {"role": "user", "content": "You are a helper. Search."}},
]  # fmt: skip

CODEX: Final = [
    {"type": "session_meta", "payload": {"id": "run-1"}},
    {"type": "response_item", "timestamp": "2026-08-01T10:00:00Z", "payload": {
        "type": "message", "role": "user",
        "content": [{"type": "input_text", "text": "<environment_context>cwd</environment_context>"}]}},
    {"type": "response_item", "timestamp": "2026-08-01T10:00:01Z", "payload": {
        "type": "message", "role": "user", "content": [{"type": "input_text", "text": "Sort the list."}]}},
    {"type": "response_item", "payload": {"type": "function_call", "call_id": "k", "name": "shell", "arguments": "{}"}},
    {"type": "response_item", "payload": {"type": "function_call_output", "call_id": "k",
                                          "output": "{\"output\": \"done\", \"metadata\": {}}"}},
    {"type": "event_msg", "payload": {"type": "agent_message", "message": "Sorted."}},
    {"type": "response_item", "payload": {
        "type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Sorted."}]}},
]  # fmt: skip

GEMINI: Final = {
    "sessionId": "g1",
    "projectHash": "h",
    "messages": [
        {"id": "1", "timestamp": "2026-08-01T10:00:01.000Z", "type": "user", "content": "List files."},
        {"id": "2", "timestamp": "2026-08-01T10:00:02.000Z", "type": "gemini", "content": "Here.",
         "toolCalls": [{"id": "q", "name": "ls", "result": [
             {"functionResponse": {"response": {"output": "a.txt"}}}]}]},
        {"id": "3", "type": "info", "content": "quota"},
    ],
}  # fmt: skip

LANGCHAIN: Final = [
    {"type": "human", "data": {"content": "Hi, I am Ana.", "id": "1"}},
    {"type": "ai", "content": "Hello Ana.", "id": "2"},
    {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", "HumanMessage"],
     "kwargs": {"content": "I have a dog.", "type": "human"}},
]  # fmt: skip

SHAREGPT: Final = [
    {"id": "s1", "conversations": [
        {"from": "human", "value": "Hello."}, {"from": "gpt", "value": "Hi."}, {"from": "observation", "value": "7"}]}
]  # fmt: skip

LONGMEMEVAL: Final = [
    {
        "question_id": "q1", "question": "Which?", "answer": "That", "question_date": "2023/06/01 (Thu) 00:58",
        "haystack_session_ids": ["one", "two"], "haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/05/25 (Thu) 20:21"],
        "haystack_sessions": [[{"role": "user", "content": "I ran."}, {"role": "assistant", "content": "Good."}],
                              [{"role": "user", "content": "I swam.", "has_answer": True}]],
        "answer_session_ids": ["two"],
    }
]  # fmt: skip

BFCL: Final = [
    {"id": "memory_prereq_0-x-0", "scenario": "x", "question": [[{"role": "user", "content": "I am Kim."}],
                                                               [{"role": "user", "content": "I ski."}]]},
]  # fmt: skip

TELEGRAM: Final = {
    "name": "Team", "type": "private_group", "id": 77,
    "messages": [
        {"id": 1, "type": "service", "date": "2026-01-10T09:00:00", "date_unixtime": "1768032000", "action": "x",
         "text": ""},
        {"id": 2, "type": "message", "date": "2026-01-10T10:05:00", "date_unixtime": "1768035900", "from": "Ana",
         "text": ["Use ", {"type": "bold", "text": "Postgres"}, ", see ", {"type": "link", "text": "x.invalid"}]},
        {"id": 3, "type": "message", "date": "2026-01-10T10:06:00", "date_unixtime": "1768035960", "from": "Bo",
         "media_type": "sticker", "text": ""},
        {"id": 4, "type": "message", "date": "2026-01-10T10:07:00", "date_unixtime": "1768036020", "from": None,
         "from_id": "user9", "text": "Bye", "edited": "2026-01-10T10:08:00"},
    ],
}  # fmt: skip

DISCORD: Final = {
    "guild": {"id": "1", "name": "G"}, "channel": {"id": "10", "name": "general"},
    "messages": [
        {"id": "1", "type": "Default", "timestamp": "2026-01-01T09:00:00+00:00", "content": "I moved.",
         "author": {"id": "7", "name": "ana", "nickname": "Ana", "isBot": False}},
        {"id": "2", "type": "GuildMemberJoin", "timestamp": "2026-01-01T09:00:00+00:00", "content": "Joined.",
         "author": {"id": "7", "name": "ana"}},
        {"id": "3", "type": "Reply", "timestamp": "2026-01-01T09:01:00+00:00", "content": "beep",
         "author": {"id": "8", "name": "robo", "isBot": True}, "reference": {"messageId": "1"}},
    ],
    "messageCount": 3,
}  # fmt: skip

INSTAGRAM: Final = {
    "participants": [{"name": "Ana"}],
    "messages": [
        {"sender_name": "Ana", "timestamp_ms": 1577186600000, "content": "Liked a message"},
        {"sender_name": "Jos\u00c3\u00a9", "timestamp_ms": 1577186590000,
         "content": "caf\u00c3\u00a9 \u00f0\u009f\u0098\u0080"},
        {"sender_name": "Ana", "timestamp_ms": 1577186580000, "photos": [{"uri": "photos/1.jpg"}]},
        {"sender_name": "Ana", "timestamp_ms": 1577186570000, "content": "First."},
    ],
    "title": "Ana",
}  # fmt: skip

WHATSAPP: Final = (
    "12/31/21, 9:10 PM - Messages and calls are end-to-end encrypted.\n"
    "12/31/21, 9:11\u202fPM - Ana: Happy new year\nto all: of you\n"
    "1/1/22, 12:05 AM - Bo: <Media omitted>\n"
    "1/1/22, 12:06 AM - Bo: You too\n"
)
SIGNAL: Final = "[2019-12-24, 12:23] Jane Doe: Hello\nthere\n[2020-01-17, 21:49] John: Hi: you\n"
PLAIN: Final = "Ana: Hello, Bo.\nBo: Hello: how are you?\nand the dog?\nAna: Fine.\n"
OWN: Final = [
    {"speaker": "Ana", "text": "I moved to Porto.", "sent_at": "2023-05-08T13:56:00+01:00", "session": "s1",
     "source_ref": "D1:1"},
    {"speaker": "Bo", "text": "", "caption": "a photo of a river"},
]  # fmt: skip


def slack_zip() -> bytes:
    """A Slack export with two people, a bot, a thread and an edit."""
    users = [
        {"id": "U1", "name": "ana", "profile": {"real_name": "Ana Lima", "display_name": "al"}},
        {"id": "U2", "name": "bo", "real_name": "Bo Berg"},
    ]
    day = [
        {"type": "message", "user": "U2", "text": "late one", "ts": "1452837399.000001"},
        {"type": "message", "user": "U1", "subtype": "channel_join", "text": "<@U1> has joined", "ts": "1452837300.1"},
        {"type": "message", "user": "U1", "text": "Hi <@U2>, see <https://x.invalid|the page> &amp; <#C1|general>",
         "ts": "1452837318.000002", "edited": {"user": "U1", "ts": "1452837320.0"}},
        {"type": "message", "user": "U1", "text": "Lunch?", "ts": "1452837330.0", "thread_ts": "1452837330.0"},
        {"type": "message", "user": "U2", "text": "Yes", "ts": "1452837340.0", "thread_ts": "1452837330.0"},
        {"type": "message", "subtype": "bot_message", "username": "ci", "text": "", "ts": "1452837350.0",
         "attachments": [{"pretext": "Build", "text": "failed"}]},
    ]  # fmt: skip
    return zipped({
        "users.json": users, "channels.json": [{"id": "C1", "name": "general"}], "general/2016-01-15.json": day,
        "integration_logs.json": [],
    })  # fmt: skip


def zipped(files: dict[str, Any]) -> bytes:
    """A zip archive of texts, bytes or JSON values."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, value in files.items():
            archive.writestr(name, value if isinstance(value, str | bytes) else json.dumps(value))
    return out.getvalue()


def lines(rows: list[Any]) -> bytes:
    """JSON lines."""
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


FILES: Final[dict[str, bytes]] = {
    "trajwiki": lines(OWN),
    "openai": json.dumps(OPENAI).encode(),
    "chatgpt": json.dumps(CHATGPT).encode(),
    "claude": json.dumps(CLAUDE).encode(),
    "claude-code": lines(CLAUDE_CODE),
    "codex": lines(CODEX),
    "gemini-cli": json.dumps(GEMINI).encode(),
    "langchain": json.dumps(LANGCHAIN).encode(),
    "sharegpt": json.dumps(SHAREGPT).encode(),
    "whatsapp": WHATSAPP.encode(),
    "telegram": json.dumps(TELEGRAM, indent=1).encode(),
    "signal": SIGNAL.encode(),
    "slack": slack_zip(),
    "discord": json.dumps(DISCORD).encode(),
    "instagram": json.dumps(INSTAGRAM).encode(),
    "locomo": json.dumps(LOCOMO).encode(),
    "longmemeval": json.dumps(LONGMEMEVAL).encode(),
    "bfcl": lines(BFCL),
    "plain": PLAIN.encode(),
}


def put(folder: Path, content: object, name: str = "chat.data") -> Path:
    """Write a file whose name tells nothing: bytes, text, or a JSON value."""
    path = folder / name
    raw = content if isinstance(content, bytes) else content.encode() if isinstance(content, str) else None
    path.write_bytes(raw if raw is not None else json.dumps(content).encode())
    return path


def read(folder: Path, content: object, *, format: str = "auto", options: Options | None = None) -> Reading:
    """Write a file and read it."""
    return read_all(put(folder, content), format=format, options=options or Options())


def said(reading: Reading) -> list[tuple[str, str]]:
    """Who said what."""
    return [(r.message.speaker, r.message.text) for r in reading]
