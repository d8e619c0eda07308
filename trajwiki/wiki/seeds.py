"""Seeds: what a page gathers, as a value and as the text that is stored with the page (paper, A.4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote

from trajwiki.domain.wiki import PageType

SEPARATOR: Final = "/"
_ESCAPES: Final = str.maketrans({"%": "%25", "/": "%2F", ",": "%2C"})


@dataclass(frozen=True, slots=True)
class Seed:
    """What a page gathers.

    Attributes:
        type: Kind of page.
        key: Folded name of the entity or subject, or the stem of the topic; empty for the index.
        facet: For an inventory, the relation whose values are listed.
        theme: Words that tell a shard of the seed from its siblings, chosen when the page began. The theme of a topic
            begins with the topic as it is written.
    """

    type: PageType
    key: str = ""
    facet: str = ""
    theme: tuple[str, ...] = ()

    @property
    def base(self) -> str:
        """The seed without the theme: what the shards of one seed share."""
        if self.type is PageType.INDEX:
            return self.type.value
        parts = (self.key, self.facet) if self.type is PageType.INVENTORY else (self.key,)
        return f"{self.type.value}:{SEPARATOR.join(map(_escape, parts))}"

    @property
    def is_shard(self) -> bool:
        """Whether the page holds a part of what the seed gathers, told by its theme."""
        return len(self.theme) > (self.type is PageType.TOPIC)

    @property
    def text(self) -> str:
        """The seed as it is stored: ``entity:melanie``, ``entity:melanie/pottery,clay``, ``inventory:melanie/read``."""
        if not self.theme:
            return self.base
        return self.base + SEPARATOR + ",".join(_escape(word) for word in self.theme)


INDEX = Seed(PageType.INDEX)
OTHER_TALK = Seed(PageType.TOPIC)  # what was said without telling anything: the rescue pages


def parse_seed(text: str) -> Seed:
    """Give the seed of a stored text.

    Raises:
        ValueError: It begins with no kind of page.
    """
    kind, _, rest = text.partition(":")
    page_type = PageType(kind)
    if page_type is PageType.INDEX:
        return INDEX
    named = 2 if page_type is PageType.INVENTORY else 1
    parts = rest.split(SEPARATOR)
    key, facet = [*(unquote(p) for p in parts[:named]), ""][:2]
    theme = tuple(unquote(word) for word in parts[named].split(",")) if len(parts) > named else ()
    return Seed(page_type, key, facet, theme)


def _escape(part: str) -> str:
    """Escape the characters that have a meaning in a seed; `unquote` reads them back."""
    return part.translate(_ESCAPES)
