"""The patterns that secrets are found by: shapes of keys, fields by name, card numbers. All run in linear time."""

from __future__ import annotations

import re
from typing import Final

PLACEHOLDER: Final = re.compile(r"\[secret:[a-z-]{1,20}(?:-[0-9]{1,6})?\]")

# Secrets that their own shape gives away: how one begins, its kind, the whole shape. No \b: it sees no border after
# letters of other scripts.
_SHAPES: Final = (
    ("private-key", ("-----BEGIN",),
     r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[^-]{0,20000}"
     r"(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----)?"),
    ("jwt", ("eyJ",), r"eyJ[A-Za-z0-9_-]{8,800}+\.[A-Za-z0-9_-]{4,8000}(?:\.[A-Za-z0-9_-]{0,4000})?"),
    ("aws-key", ("AKIA", "ASIA", "AGPA", "AIDA", "AROA", "ANPA", "ANVA", "ABIA", "ACCA"),
     r"A[A-Z0-9]{19}(?![A-Za-z0-9])"),
    ("github-token", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), r"gh._[A-Za-z0-9]{20,255}"),
    ("github-token", ("github_pat_",), r"github_pat_[A-Za-z0-9_]{22,255}"),
    ("gitlab-token", ("glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glsoat-"),
     r"gl[a-z]{2,4}-[A-Za-z0-9_-]{16,100}"),
    ("slack-token", ("xoxa-", "xoxb-", "xoxe-", "xoxe.", "xoxo-", "xoxp-", "xoxr-", "xoxs-", "xoxc-", "xoxd-"),
     r"xox.[-.][A-Za-z0-9.%-]{8,400}"),
    ("slack-token", ("xapp-",), r"xapp-[0-9]-[A-Za-z0-9-]{10,250}"),
    ("slack-token", ("https://hooks.slack.com/",), r"https://hooks\.slack\.com/[a-z]{1,20}/[A-Za-z0-9/_-]{20,200}"),
    ("google-key", ("AIza",), r"AIza[A-Za-z0-9_-]{30,60}"),
    ("google-key", ("ya29.", "GOCSPX-"), r"(?:ya29\.|GOCSPX-)[A-Za-z0-9_-]{20,1000}"),
    ("api-key", ("sk-ant-", "sk-proj-", "sk-lf-", "sk-or-", "sk-svcacct-", "sk-admin-"), r"sk-[A-Za-z0-9_-]{16,400}"),
    ("api-key", ("sk-",), r"(?:(?<![A-Za-z])sk-(?=[A-Za-z_-]{0,80}[0-9])[A-Za-z0-9_-]{16,400}"
                          r"|sk-(?=[A-Za-z]{0,80}[0-9])[A-Za-z0-9]{20,400})"),
    ("api-key", ("sk_live_", "sk_test_", "rk_live_", "rk_test_"), r".k_(?:live|test)_[A-Za-z0-9]{10,250}"),
    ("api-key", ("whsec_",), r"whsec_[A-Za-z0-9+/=]{16,200}"),
    ("api-key", ("gsk_", "xai-", "pplx-"), r"(?:gsk_|xai-|pplx-)[A-Za-z0-9]{20,200}"),
    ("api-key", ("nvapi-", "tvly-", "PMAK-"), r"[a-zA-Z]{4,5}-[A-Za-z0-9_-]{20,200}"),
    ("api-key", ("hf_", "r8_"), r"(?<![A-Za-z])..?_[A-Za-z0-9]{20,100}"),
    ("api-key", ("lsv2_",), r"lsv2_[a-z]{2}_[A-Za-z0-9_]{20,100}"),
    ("api-key", ("SG.",), r"SG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,100}"),
    ("api-key", ("dop_v1_", "shpat_"), r"(?:dop_v1_[0-9a-f]{64}|shpat_[0-9a-fA-F]{32})"),
    ("api-key", ("sq0atp-", "sq0csp-", "dckr_pat_"), r"(?:sq0...-|dckr_pat_)[A-Za-z0-9_-]{20,60}"),
    ("api-key", ("npm_", "lin_api_", "ntn_"), r"(?:npm|lin_api|ntn)_[A-Za-z0-9]{30,60}"),
    ("api-key", ("pypi-",), r"pypi-[A-Za-z0-9_-]{40,400}"),
    ("api-key", (":AA",), r"(?<=[0-9]{8}):AA[A-Za-z0-9_-]{32,40}"),
)  # fmt: skip
KEYS: Final = tuple(
    (start, kind, compiled)
    for kind, starts, compiled in ((kind, starts, re.compile(shape, re.DOTALL)) for kind, starts, shape in _SHAPES)
    for start in starts
)

# The password in a URL; what follows Bearer or Basic.
URL: Final = re.compile(r"(://[^\s/:@\"'<>\\]{0,200}:)([^\s/@\"'<>\\]{1,400})(?=@[\w\[.-])")
NAMED_TOKEN: Final = re.compile(
    r"((?:bearer|(?<=[:=\"' ])basic)(?:[ \t]|%20|\+){1,4})([A-Za-z0-9._~+/-]{8,4000}={0,2})", re.IGNORECASE
)

# Fields by name: the last words of the name, what stands between, and a value in quotes or without.
PASSWORD_NAMES: Final = (
    r"pass(?:[_ -]?(?:word|phrase|code)|wd)?|pwd|passwort|kennwort|contraseña|senha|mot de passe|пароль|密码|密碼|"
    r"パスワード|비밀번호|one[_ -]?time[_ -]?password"
)
PIN_NAMES: Final = (
    r"cvv2?|cvc2?|security[_ -]?code|pin(?:[_ -]?(?:code|number))?|otp|ssn|one[_ -]?time[_ -]?code|"
    r"(?:verification|auth|mfa|2fa)[_ -]?code"
)
TOKEN_NAMES: Final = (
    r"secret(?:[_ -]?(?:access[_ -]?)?key)?|(?:api|access|auth|private|encryption|signing|subscription|account|master|"
    r"storage|shared|service|license|client|admin)[_ -]?key|token|authorization|credentials?|cookie"
)
MORE: Final = r"[_ -]?(?:value|hash|[0-9])"  # after the name
FIELD_STARTS: Final = (
    "pass", "pwd", "kennwort", "contraseña", "senha", "mot de passe", "пароль", "密码", "密碼", "パスワード",
    "비밀번호", "one", "cvv", "cvc", "security", "pin", "otp", "ssn", "verification", "auth", "mfa", "2fa",
    "secret", "api", "access", "private", "encryption", "signing", "subscription", "account", "master", "storage",
    "shared", "service", "license", "client", "admin", "token", "credential", "cookie",
)  # fmt: skip
FIELD: Final = re.compile(
    rf"(?P<name>{PASSWORD_NAMES}|{PIN_NAMES}|{TOKEN_NAMES})s?(?P<more>(?:{MORE})?)"
    r"(?P<sep>[\"'`\\*]{0,8}\]?[ \t]{0,4}(?:=>|:=|={1,2}|:|\uff1a|>|[ \t](?:is|was|to|as|は|是|为)(?=[ \t:\uff1a])"
    r"[:\uff1a]?)[ \t\r\n]{0,4}"
    r"|[ \t](?=[^ \t\n-]))"
    r"(?:[bruf]{1,2}(?=[\"']))?"
    r"(?:\"(?P<double>(?:\\.|[^\"\\\n]){1,4000})|'(?P<single>(?:\\.|[^'\\\n]){1,4000})|`(?P<tick>[^`\n]{1,400})"
    r"|\\\"(?P<escaped>(?:[^\"\\\n]|\\{2,8}+\"?|\\(?![\"\\]).){1,4000})"
    r"|\\{1,8}[\"'](?P<deep>(?:[^\"'\\\n]|\\{1,8}+(?![\"'\\]).){1,4000})|(?P<bare>[^\s\"'`\\,;&<>|]{1,4000}))",
    re.IGNORECASE,
)

# Digits as cards have them, together or in groups.
CARD: Final = re.compile(
    r"(?<![0-9])(?<![0-9]\.)(?:[0-9]{13,19}"
    r"|[0-9]{4}(?P<a>[ .\u00a0\u2009-])[0-9]{4}(?P=a)[0-9]{4}(?P=a)[0-9]{4}(?:(?P=a)[0-9]{3})?"
    r"|[0-9]{4}(?P<b>[ .\u00a0\u2009-])[0-9]{6}(?P=b)[0-9]{4,5})(?![0-9A-Za-z_])"
)
