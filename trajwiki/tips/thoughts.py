"""What kind of reasoning a step holds."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from trajwiki.domain.runs import Run, StepKind, Thought

MAX_TEXT: Final = 20_000

_KINDS: Final[Mapping[Thought, str]] = {
    Thought.PLANNING: r"plan|first|next|then|step \d|steps|let'?s|let me|going to|before (?:i|we)|to do this"
    r"|in order to|(?:i|we)(?:'ll| will| need to| should)",
    Thought.VALIDATION: r"verif(?:y|ied|ies|ication)|double[- ]?check(?:ed|ing)?|confirm(?:s|ed|ing)?|make sure"
    r"|ensur(?:e|es|ed|ing)|check(?:ing)? (?:that|whether|if)|validat(?:e|es|ed|ing|ion)"
    r"|test(?:s|ed|ing)? (?:that|whether|if|pass(?:es|ed)?)",
    Thought.REFLECTION: r"it (?:seems|looks|appears|turns out)|turns out|apparently|so far|in hindsight"
    r"|this (?:means|indicates|suggests|shows)|(?:i|we) (?:see|notice|realize|realise|(?:have )?learned)",
    Thought.SELF_CORRECTION: r"my mistake|i was wrong|mistakenly|apolog(?:y|ies|ize|ise)|instead,? (?:i|we|let)"
    r"|let(?:'s| me) (?:try|fix|correct|retry)|try (?:again|another|a different)|should have|correct(?:ed|ing)? the"
    r"|fix(?:ed|ing)? (?:the|this|it)|that didn'?t work|different approach",
    Thought.ANALYTICAL: r"because|since|therefore|thus|hence|based on|according to|given (?:that|the)|equals?"
    r"|the (?:result|output|error|response|data)s? (?:show|indicate|suggest|say|mean)s?|compar(?:e|ed|ing)"
    r"|analy[sz](?:e|ed|ing|is)|calculat(?:e|ed|ing|ion)",
}
_SIGNS: Final = tuple((category, re.compile(rf"\b(?:{words})\b", re.I)) for category, words in _KINDS.items())


def categorise(run: Run) -> Mapping[Thought, tuple[int, ...]]:
    """Give the numbers of the steps that plan, analyse, validate, reflect or correct themselves (report, 3.1.1).

    A step can be of several categories. What tools gave back, and what the agent was told, is no thought.
    """
    found: dict[Thought, list[int]] = {category: [] for category in Thought}
    for step in run.steps:
        if step.kind in (StepKind.THOUGHT, StepKind.ACTION, StepKind.MESSAGE, StepKind.FINAL):
            told = (
                step.text if step.kind is not StepKind.ACTION or step.text else str(step.arguments.get("thought", ""))
            )
            for category in categories_of(told):
                found[category].append(step.number)
    return {category: tuple(numbers) for category, numbers in found.items() if numbers}


def categories_of(text: str) -> tuple[Thought, ...]:
    """Give the categories whose words stand in a text."""
    return tuple(category for category, sign in _SIGNS if sign.search(text[:MAX_TEXT]))
