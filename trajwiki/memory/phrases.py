"""Set phrases of chat, as tokens: what stands before and behind a statement, and what is only talk about the talk."""

from __future__ import annotations

from typing import Final

from trajwiki.language.lexicon import phrases

OPENINGS: Final = phrases(
    """
by the way|oh and|to be honest|in fact|of course|that said|that being said|i mean|you know|guess what|fun fact
you wo n't believe it|you 'll never guess|believe it or not|no worries|no problem|no way|no doubt
on the other hand|turns out|it turns out that|it turns out|as you know|as i said|as i mentioned
as i mentioned earlier|for me|so far , so good|far , so good|long time no see|long time no talk|good to see you
great to see you|great to hear from you|nice to see you|same here|me too|for sure|thanks a lot|thanks a bunch
thanks so much|thank you|thank you so much|how about you|good to hear from you|so glad to hear that
i 'm happy to say that|i 'm happy to share that|i 'm happy to report that|i 'm glad to say that
i 'm proud to say that|i have to say|i must say|i have to admit|let me tell you|to be fair|funny enough
in other news|on top of that|in addition|like i said|the thing is|what 's more|as always|as usual|anyhow
i meant to tell you|i forgot to tell you|i wanted to let you know|did i tell you|guess what ,|big news ,|plot twist
change of plan|change of plans|correction|typo|oops|hang on|hold on|wait|my mistake|my bad
with that said|speaking of which|on that note|on another note|on a different note|good news|great news|big news
i just wanted to tell you that|i wanted to tell you that|i wanted to tell you|can you believe|one more thing
however|therefore|moreover|meanwhile|for example|in the meantime|also|just|plus|and|but|so|or|yet|too|still ,
well|anyway
"""
)
"""What is left out at the beginning of a statement; one word alone only before a comma."""
CLOSINGS: Final = phrases(
    """
, take a look|, right|, all of that|, all that|, and more|and stuff|, etc|etc.|, and so on|for that|about that
, you know|, huh|, too|lol|haha|hahaha|, though|tho|, actually|, ya know|, btw|, by the way|xd|, man|, dude
, buddy|, bud|, pal|, thanks|, thank you|, please|, so yeah|, and all|, of course|, for sure|, as well|, anyway
:d
"""
)
"""What is left out at its end."""
SAYINGS: Final = phrases(
    """
i 'm all ears|i 'm back|i 'm curious|i 'm doing good|i 'm doing great|i 'm doing ok|i 'm doing well|i 'm down
i 'm fine|i 'm glad|i 'm good|i 'm here|i 'm here for you|i 'm in|i 'm just saying|i 'm off|i 'm ok|i 'm on it
i 'm with you|i 've been good|i 've been great|i am curious|i feel you|i got to go|i have to go|i hear you
i know right|i promise|i see|i should go|i swear|we got this
"""
)
"""Whole sentences that say nothing."""
TALK: Final = phrases(
    """
i agree|i totally agree|i hear that|i get it|i get that|i understand|i know what|i know how|i know it|i get what
i mean|i was wondering|i wonder|i wondered|i 'm wondering|i was hoping you|i ca n't believe|i could n't agree
i ca n't agree|i could n't have|i bet|i appreciate|i 'll let|i 'll keep|i 'll do|i 'll be there|i 'll check
i 'll make sure|i do n't know|i 'm not sure|i ca n't help|i guess that|i guess it|i feel that|i 'm here to
i have to run|i 'd say|i would say|i must say|i ca n't say|i ca n't wait to hear|i ca n't wait to see
i look forward to hear|i 'm looking forward to hear|i have no idea|i had no idea|i do n't think|i did n't think
i do n't see|i could use some|i need help|i need some help|i need your|i 'd love to hear|i 'd love to know
i would love to hear|i 'd love to see|i 'd like to know|i want to know|i 'd appreciate|i would appreciate
i would like to know|i wo n't give|i wo n't let|i wo n't quit|i 'm over the moon|i 'm on cloud nine
i ca n't beat|i ca n't imagine|i ca n't picture|i ca n't complain|i ca n't deny|i wanted to tell
i wanted to fill|i wanted to say|i wanted to let|i wanted to share|i wanted to thank|i told you|i did n't know
i did n't realize|i knew|i realized how|i 'm sorry|i am sorry|i apologize|it 's me|i love how|i like how
i love that|i like that|we can|we should|we could|we must|we all|we 've got this|we need|we 'll|we 're in this
we have to|we make|we both|we 're both|we will|we might|we 're lucky|we last|we 're talking about|we talked
we spoke|i have faith|i believe in|i 'm determined to make it
i want to make sure|i need to make sure|i want to be sure|i just want to make sure|i 've got a funny|i have a funny
i 've got a story|i have a story|i 've got great news|i 've got some news|i have some news|i have great news|i have news
i 've got something to|i have something to
"""
)
"""How agreement, requests, wishes and encouragement begin (adverbs left out)."""
MATRIX: Final = phrases(
    """
i think|i guess|i believe|i hope|i know|i feel like|i suppose|i figure|i 'm sure|i am sure|i 'm glad|i 'm happy
i 'm confident|i 'm hoping|i wish|i heard|i remember that|i thought|i find|i found that|i realized|i realize
i 've learned that|i learned that|i 'm convinced|i imagine|i assume|i 'm afraid
"""
)
"""How an opinion begins: it is the speaker's own only when it goes on with "I" or "my"."""
