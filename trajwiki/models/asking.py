"""Asking a model for structured replies: cache, ladder, validation, budget, and a line in the ledger for each."""

from __future__ import annotations

import hashlib
import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, Protocol, TypeVar

from trajwiki.domain.problems import Problem
from trajwiki.domain.usage import Call, Outcome, Phase
from trajwiki.models.budget import Budget
from trajwiki.models.chat import LADDER, Chat, Completion, Mode, Request, Spent
from trajwiki.models.failures import BudgetSpent, EndpointRefused, EndpointUnavailable, ModelFailure, RequestRefused
from trajwiki.models.parsing import find_json
from trajwiki.models.prompts.base import Prompt, fenced
from trajwiki.models.validation import ReplyModel, validate

R = TypeVar("R", bound=ReplyModel)

Check = Callable[[Any], str | None]
"""Gives what makes a reply useless although it is well-formed, as a code; or None."""

DEMOTED_AFTER: Final = 3  # useless replies in a row by which a mode counts as not supported


class Replies(Protocol):
    """Where replies are kept by what was asked."""

    def get(self, key: str, model: str | None) -> tuple[str, dict[str, Any]] | None:
        """Give model and reply; None as model: of whichever was asked first."""
        ...

    def put(self, key: str, model: str, purpose: str, body: dict[str, Any]) -> None:
        """Keep a reply."""
        ...


class Ledger(Protocol):
    """Where it is written down what was asked."""

    def record(self, call: Call) -> None:
        """Add a line."""
        ...


@dataclass(frozen=True, slots=True)
class Asked:
    """A question that waits to be sent."""

    prompt: Prompt[Any]
    lines: tuple[str, ...]
    check: Check | None
    max_tokens: int | None = None  # of the reply; None: as the prompt says


@dataclass(slots=True)
class Result:
    """What came of a question.

    Attributes:
        value: The reply; None: no use could be made of any.
        truncated: Its end was missing.
        problems: Items that were dropped, and why there is none.
    """

    value: Any = None
    truncated: bool = False
    problems: list[Problem] = field(default_factory=list)


@dataclass(slots=True)
class Model:
    """A chat model with what belongs to it: everything that asking needs and that is not of one space."""

    chat: Chat
    budget: Budget
    phases: frozenset[Phase]
    workers: int = 4
    _useless: Counter[Mode] = field(default_factory=Counter)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def count_useless(self, mode: Mode, useless: bool) -> None:
        """Remember how a mode does, and step down for good when it brings nothing useful."""
        with self._lock:
            self._useless[mode] = self._useless[mode] + 1 if useless else 0
            if self._useless[mode] >= DEMOTED_AFTER and self.chat.best_mode is mode and mode is not LADDER[-1]:
                self.chat.best_mode = LADDER[LADDER.index(mode) + 1]

    def refused(self, mode: Mode) -> None:
        """Remember that the endpoint refuses a mode."""
        with self._lock:
            if LADDER.index(self.chat.best_mode) <= LADDER.index(mode) and mode is not LADDER[-1]:
                self.chat.best_mode = LADDER[LADDER.index(mode) + 1]


class Asker:
    """Asks on behalf of one space, during one operation. Threads may share it.

    Args:
        space_id: Key of the fences and of the cache.
        replies: Kept replies.
        ledger: Of the space.
        model: None: only kept replies, of whichever model, are given.
        clock: For the ledger.

    Attributes:
        used: Keys of the kept replies that were given.
        problems: What was dropped or could not be asked.
        failure: Why the endpoint is not asked any more in this operation, or None.
        stopped: That the token budget is spent, or None; for those who use the asker to note.
        deferred: While `deferring`: what was not in the cache.
    """

    def __init__(
        self, space_id: str, replies: Replies, ledger: Ledger, model: Model | None, clock: Callable[[], datetime]
    ) -> None:
        self._space_id = space_id
        self._replies = replies
        self._ledger = ledger
        self._model = model
        self._clock = clock
        self._lock = threading.Lock()
        self._skipped: Counter[Prompt[Any]] = Counter()
        self._unasked: Counter[Prompt[Any]] = Counter()
        self._deferring = False
        self._replayed = ""
        self.deferred: list[Asked] = []
        self.used: set[str] = set()
        self.problems: list[Problem] = []
        self.failure: ModelFailure | None = None
        self.stopped: BudgetSpent | None = None

    @property
    def name(self) -> str:
        """How decisions of the model are marked: ``model:NAME``, of the one whose reply was given last."""
        return f"model:{self._model.chat.name if self._model else self._replayed}"

    @property
    def workers(self) -> int:
        """How many questions may be in flight."""
        return self._model.workers if self._model else 1

    @property
    def spent(self) -> int:
        """Tokens spent by the model so far, of all operations that share its budget."""
        return self._model.budget.spent if self._model else 0

    def serves(self, phase: Phase) -> bool:
        """Tell whether a phase uses the model; kept replies serve every phase."""
        return self._model is None or phase in self._model.phases

    # Asking.

    def ask(self, prompt: Prompt[R], lines: Sequence[str], *, check: Check | None = None) -> R | None:
        """Give the model's reply, or None where the rule has to decide.

        Args:
            prompt: The question.
            lines: The data; texts of others are in them as `said` gives them.
            check: Gives what makes a well-formed reply useless.

        Raises:
            BudgetSpent: There are no tokens left for it.
        """
        if not self.serves(prompt.phase):
            return None
        asked = Asked(prompt, tuple(lines), check)
        kept = self.kept(prompt, self.key(prompt, lines))
        if kept is not None:
            return kept
        if self._model is None:
            return None
        if self._deferring:
            self.deferred.append(asked)
            return None
        value: R | None = self.send(asked).value
        if value is not None:
            self.keep(prompt, self.key(prompt, lines), value)
        return value

    def key(self, prompt: Prompt[Any], lines: Sequence[str]) -> str:
        """Give what a reply is kept under: a hash of all that is asked, keyed by the space."""
        told = json.dumps([prompt.name, prompt.hash, *lines], ensure_ascii=False)
        return hashlib.blake2b(
            told.encode("utf-8", "surrogatepass"), key=self._space_id.encode()[:64], digest_size=16
        ).hexdigest()

    def kept(self, prompt: Prompt[R], key: str, *, note: bool = True) -> R | None:
        """Give a kept reply, or None; `note`: write down that it spared a call."""
        found = self._replies.get(key, self._model.chat.name if self._model else None)
        if found is None:
            return None
        self._replayed, body = found
        self.used.add(key)
        value, _ = validate(prompt.reply, body)
        if note and value is not None and self._model is not None and not self._deferring:
            self._note(prompt, Outcome.CACHED)
        return value

    def keep(self, prompt: Prompt[Any], key: str, value: ReplyModel) -> None:
        """Keep a reply."""
        if self._model is not None:
            self._replies.put(key, self._model.chat.name, prompt.name, value.model_dump(mode="json"))

    def skip(self, prompt: Prompt[Any], times: int = 1) -> None:
        """Note that the rule was certain and the model was not asked."""
        if self._model is not None and not self._deferring and self.serves(prompt.phase):
            with self._lock:
                self._skipped[prompt] += times

    @contextmanager
    def deferring(self) -> Iterator[None]:
        """Collect what is not in the cache instead of asking; `fetch` asks it."""
        self._deferring, self.deferred = True, []
        try:
            yield
        finally:
            self._deferring = False

    def fetch(self) -> bool:
        """Ask what was deferred, several at a time, and keep the replies; tells whether there are any.

        Raises:
            BudgetSpent: There were no tokens left for all; the replies that came are kept.
        """
        waiting, self.deferred = self.deferred, []
        if not waiting:
            return False
        with ThreadPoolExecutor(self.workers) as pool:
            results = list(pool.map(self._fetched, waiting))
        stopped = next((r for r in results if isinstance(r, BudgetSpent)), None)
        if stopped is not None:
            raise stopped
        return any(results)

    def _fetched(self, asked: Asked) -> bool | BudgetSpent:
        try:
            value = self.send(asked).value
        except BudgetSpent as spent:
            return spent
        if value is not None:
            self.keep(asked.prompt, self.key(asked.prompt, asked.lines), value)
        return value is not None

    def finish(self) -> None:
        """Write down what was counted."""
        with self._lock:
            skipped, unasked = self._skipped, self._unasked
            self._skipped, self._unasked = Counter(), Counter()
        for prompt, times in skipped.items():
            self._note(prompt, Outcome.SKIPPED, code="certain", times=times)
        for prompt, times in unasked.items():
            self._note(prompt, Outcome.FALLBACK, code="not-asked", times=times)

    # One question.

    def send(self, asked: Asked) -> Result:
        """Ask the endpoint, down the ladder until a reply is useful. Failures are noted, not raised.

        Raises:
            BudgetSpent: There are no tokens left for it.
        """
        assert self._model is not None
        if self.failure is not None:
            with self._lock:
                self._unasked[asked.prompt] += 1
            return Result(problems=[])
        spent, result, code = Spent(), Result(), ""
        try:
            code, outcome = self._climb_down(asked, self._model, spent, result)
        except (EndpointUnavailable, EndpointRefused) as error:
            self.failure = self.failure or error
            code, outcome = error.code, Outcome.FALLBACK
            result.problems.append(Problem(f"model.{error.code}", str(error), asked.prompt.name))
        except BudgetSpent:
            if spent.requests:
                self._note(asked.prompt, Outcome.FALLBACK, code="budget", spent=spent)
            raise
        self._note(asked.prompt, outcome, code=code, spent=spent)
        with self._lock:
            self.problems += result.problems
        return result

    def _climb_down(self, asked: Asked, model: Model, spent: Spent, result: Result) -> tuple[str, Outcome]:
        code = ""
        for mode in LADDER[LADDER.index(model.chat.best_mode) :]:
            try:
                completion = self._complete(asked, mode, model, spent)
            except RequestRefused as error:
                code = error.code
                if mode is LADDER[-1]:
                    result.problems.append(Problem(f"model.{code}", str(error), asked.prompt.name))
                    return code, Outcome.FALLBACK
                continue
            if code == RequestRefused.code:  # what this mode takes, the stricter one refuses
                model.refused(LADDER[LADDER.index(mode) - 1])
                code = ""
            why = _read(completion, asked, result)
            model.count_useless(mode, why == "no-json")
            if result.value is not None:
                return (code or why), (Outcome.REPAIRED if code or why else Outcome.ACCEPTED)
            code = why
        note = f"no reply to “{asked.prompt.name}” could be used ({code}); the rule decided"
        result.problems.append(Problem("model.fallback", note, asked.prompt.name))
        return code, Outcome.FALLBACK

    def _complete(self, asked: Asked, mode: Mode, model: Model, spent: Spent) -> Completion:
        prompt = asked.prompt
        system = prompt.system if mode is Mode.JSON_SCHEMA else f"{prompt.system}\n{prompt.schema_text}"
        user = fenced(asked.lines, self._space_id)
        limit = asked.max_tokens or prompt.max_tokens
        request = Request(system, user, prompt.name, prompt.schema, mode, limit)
        reserved = model.budget.reserve(system + user)
        before = spent.tokens_in + spent.tokens_out
        spent.modes.append(mode.value)
        try:
            return model.chat.complete(request, spent)
        finally:
            model.budget.settle(reserved, spent.tokens_in + spent.tokens_out - before)

    def _note(
        self, prompt: Prompt[Any], outcome: Outcome, *, code: str = "", times: int = 1, spent: Spent | None = None
    ) -> None:
        chat = self._model.chat if self._model else None
        used = spent or Spent()
        self._ledger.record(
            Call(
                at=self._clock(),
                phase=prompt.phase,
                purpose=prompt.name,
                model=chat.name if chat else "",
                endpoint=chat.endpoint if chat else "",
                prompt=prompt.mark,
                mode=used.modes[-1] if used.modes else "",
                outcome=outcome,
                code=code,
                times=times,
                requests=used.requests,
                tokens_in=used.tokens_in,
                tokens_out=used.tokens_out,
                latency_ms=round(used.seconds * 1000),
            )
        )


def _read(completion: Completion, asked: Asked, result: Result) -> str:
    """Put the reply of a completion into the result; gives why it is none, or what had to be mended, or nothing."""
    why = "empty" if not completion.text.strip() else "no-json"
    for found in find_json(completion.text):
        value, problems = validate(asked.prompt.reply, found.value)
        useless = asked.check(value) if value is not None and asked.check else None
        if value is None or useless:
            why = useless or "invalid"
            continue
        cut = found.truncated or completion.truncated
        for problem in problems:
            result.problems.append(Problem(problem.code, problem.message, f"{asked.prompt.name} {problem.where}"))
        if cut:
            result.problems.append(
                Problem("model.reply-truncated", "the end of a reply was missing", asked.prompt.name)
            )
        result.value, result.truncated = value, cut
        if found.mended or problems or cut:
            return "truncated" if cut else "items-dropped" if problems else "mended"
        return ""
    return why


__all__ = ["Asked", "Asker", "Check", "Ledger", "Model", "Replies", "Result"]
