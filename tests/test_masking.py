"""Masking of secrets: what is one in whatever script stands before it, what is none, and that time stays linear."""

# ruff: noqa: E501
from __future__ import annotations

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trajwiki.language.masking import Masker, mask, mask_json

JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dBjftJeZ4CVPmB92K27uhbUJU1p1r_wW1gFWFOEjXk"
PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIBOgIBAAJBAKj34GkxFhD9\nabc/+=\n-----END RSA PRIVATE KEY-----"

BY_SHAPE = {
    "sk-abcDEF1234567890abcdefgh": "api-key",
    "sk-proj-abc123DEF456ghi789jkl": "api-key",
    "sk-ant-api03-abcdefghijklmnop": "api-key",
    "sk_live_abcdefghij1234567890": "api-key",
    "AKIAIOSFODNN7EXAMPLE": "aws-key",
    "ghp_abcdefghijklmnopqrstuvwxyz0123456789": "github-token",
    "github_pat_11ABCDEFG0abcdefghijkl": "github-token",
    "glpat-abcdefghij1234567890": "gitlab-token",
    "xoxb-123456789012-abcdefABCDEF": "slack-token",
    "AIzaSyA1234567890abcdefghijklmnopqrstuv": "google-key",
    JWT: "jwt",
    PEM: "private-key",
    "4111111111111111": "card",
    "5555 5555 5555 4444": "card",
    "3782-822463-10005": "card",
}


@pytest.mark.parametrize("before", ["", " ", "ключ", "鍵", "κλειδί:", "مفتاح", "clé", '"', "(", "="])
@pytest.mark.parametrize("secret", BY_SHAPE)
def test_what_its_shape_gives_away_is_masked_after_any_script(secret: str, before: str) -> None:
    masked, count = mask(f"{before}{secret}")
    assert masked == f"{before}[secret:{BY_SHAPE[secret]}]"
    assert count == 1


@pytest.mark.parametrize(("text", "secret"), [
    ("password=hunter2", "hunter2"), ("Password: swordfish", "swordfish"), ('DB_PASSWORD="correct horse"', "correct horse"),
    ('{"password": "abc"}', "abc"), ('{\\"password\\": \\"s3cr3t!\\"}', "s3cr3t!"), ("passwd='x1y2'", "x1y2"),
    ("login(user='ana', password='b4$x')", "b4$x"), ("curl --password hunter2 x", "hunter2"), ("pwd：abc12345", "abc12345"),
    ("api_key: abcd1234efgh", "abcd1234efgh"), ('"apiKey":"abcdef123456"', "abcdef123456"), ("token=abc123def456", "abc123def456"),
    ("X-Api-Key: 0123456789abcdef", "0123456789abcdef"), ("Authorization: Bearer abcdef1234567890", "abcdef1234567890"),
    ("https://ana:pa55w0rd@host/x", "pa55w0rd"), ("postgres://u:pw@h:5432/db", ":pw@"), ("密码：abc12345", "abc12345"),
    ("пароль: секрет1", "секрет1"), ("contraseña: gato99", "gato99"), ("<password>abc123</password>", "abc123"),
    ("my password is hunter22", "hunter22"), ("client_secret=abcdef123456", "abcdef123456"), ("CVV: 123", "123"),
    ("AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "wJalrXUtnFEMI"), ("pin=1234", "1234"),
    ("Set-Cookie: sid=abc123; path=/", "abc123"), ("refresh_token: 1//0gabcdefgh123", "0gabcdefgh123"),
    ("card 4222222222222", "4222222222222"), ("karte: 30569309025904", "30569309025904"),
])  # fmt: skip
def test_what_its_field_gives_away_is_masked(text: str, secret: str) -> None:
    masked, count = mask(text)
    assert secret not in masked
    assert count >= 1
    assert mask(masked) == (masked, 0)


@pytest.mark.parametrize("text", [
    "order #W1234567", "order number 4111111111111111", "tracking 4000000000000002", "commit 3f786850e387550fdab836ed7e6dc881",
    "3f786850e387550fdab836ed7e6dc881de23001b", "+1 (555) 010-9999", "7273731063", "uuid 550e8400-e29b-41d4-a716-446655440000",
    "credit_card_4421486", "a4111111111111111b", "4111111111111112", "ISBN 9783161484100", "1700000000000000", "17:30, 2024-05-08",
    "max_tokens=100", "prompt_tokens: 1234", "tokens: 128", "next_page_token=abc123def456", "the token count is 512",
    "password: required", "Password must be at least 8 characters", "the password is required", "password reset link sent",
    "password=passwords['venmo']", "login(password=venmo_password)", "token: str", '{"name": "password", "type": "string"}',
    '"token_type":"bearer"', "bearer authentication", "basic authentication required", "access token: expired",
    "risk-based-approach-2020-something", "task-oriented-dialogue-systems-2023x", "disk-usage-report-2024-final-v2",
    "compass: north", "pinned: true", "spin: 1234", "keyboard: qwerty", "passport=AB123", "passengers: 3", "secret santa: Bob",
    "primary_key: abc123def456", "public key: abcdef1234567", "cookie: chocolate chip", "span_id 4111111111111111",
    "0.4111111111111111", "call_oIHazX6yQrB8hUwl4cRilFKj", "toolu_bdrk_012ZqXZPtv9YYgTewFGcEMVY", "chatcmpl-BhGJAW79iSsHO7ES5w",
])  # fmt: skip
def test_what_is_no_secret_survives(text: str) -> None:
    assert mask(text) == (text, 0)


def test_the_same_secret_has_the_same_placeholder_and_others_are_numbered() -> None:
    masked, count = mask("password=alpha7 password=beta8 password=alpha7")
    assert masked == "password=[secret:password] password=[secret:password-2] password=[secret:password]"
    assert count == 3


def test_a_password_in_a_field_is_masked_wherever_it_comes_again() -> None:
    masker = Masker()
    assert masker.json({"user": "ana", "password": "z*@]t]Q"}) == {"user": "ana", "password": "[secret:password]"}
    assert masker.text("It printed z*@]t]Q and went on.") == "It printed [secret:password] and went on."


def test_values_of_json_are_masked_by_the_names_of_their_fields() -> None:
    value = {
        "accounts": [{"name": "music", "password": "dkj3#2"}], "passwords": {"mail": "abc12"}, "pin": 1234,
        "card": 4111111111111111, "max_tokens": 100, "token": 128, "note": "key sk-abcDEF1234567890abcdefgh",
        "api_key": None, "order_id": "W123", "schema": {"password": {"type": "string"}},
    }  # fmt: skip
    masked, count = mask_json(value)
    assert masked == {
        "accounts": [{"name": "music", "password": "[secret:password]"}], "passwords": {"mail": "[secret:password-2]"},
        "pin": "[secret:pin]", "card": "[secret:card]", "max_tokens": 100, "token": 128, "note": "key [secret:api-key]",
        "api_key": None, "order_id": "W123", "schema": {"password": {"type": "string"}},
    }  # fmt: skip
    assert count == 5
    assert mask_json(masked) == (masked, 0)


def test_json_in_text_stays_json() -> None:
    inner = json.dumps({"password": 'a"b\\c', "token": "abc123DEF", "n": 1})
    for text in (inner, json.dumps({"body": inner})):
        masked, count = mask(text)
        assert count == 2
        body = json.loads(masked)
        body = json.loads(body["body"]) if "body" in body else body
        assert body["n"] == 1


_pieces = st.sampled_from([
    "password=", "password: ", '"password": "', "token=", "Bearer ", "://u:", "@h", "sk-abcDEF1234567890abcdefgh", "AKIA",
    "4111 1111 1111 1111", "[secret:password]", "[secret:", "]", '"', "\\", "'", " ", "\n", "hunter2", "abc123def456", "pin=", "1234",
    "密码", ":", "=", "secret", "eyJ", ".", "-----BEGIN RSA PRIVATE KEY-----", "is ", "api_key", "-2", "İ", "ß", "--", ">", "(", ")",
])  # fmt: skip


@settings(max_examples=400, deadline=None)
@given(st.lists(_pieces | st.text(max_size=5), max_size=12).map("".join))
def test_masking_twice_is_masking_once(text: str) -> None:
    masked = mask(text)[0]
    assert mask(masked)[0] == masked


@pytest.mark.parametrize("bomb", [
    "password", "password: ", "sk-", "eyJ", "1234 ", "://", "a:", "4", "bearer ", "-----BEGIN ", "\\", "password=\\", "://a:",
    'password="', "sk-a-", "token=a ", "key_", "_", "password=x1 ", "[secret:", "pin" , "4111 1111 ", "api", "password is ",
])  # fmt: skip
def test_time_is_linear(bomb: str) -> None:
    def seconds(size: int) -> float:
        text = bomb * (size // len(bomb))
        start = time.process_time()
        mask(text)
        return time.process_time() - start

    seconds(10_000)
    small, large = max(seconds(20_000), 0.005), min(seconds(160_000) for _ in range(3))
    assert large < 40 * small  # eight times the text; quadratic would be sixty-four
