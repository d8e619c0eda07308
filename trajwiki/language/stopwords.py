"""Words that carry no topic: function words, and the fillers of chat."""

from __future__ import annotations

from typing import Final

_FUNCTION: Final = """
a an the this that these those some any each every either neither both all such
i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers
herself it its itself they them their theirs themselves one ones someone somebody something anyone anybody anything
everyone everybody everything nobody nothing none other others another same
am is are was were be been being do does did doing done have has had having can could will would shall should may
might must ought gonna wanna gotta
and or but nor so yet if then than because since while although though unless until whereas whether as
of in on at by for with without from to into onto upon about above below under over between among through during
before after against toward towards across along around behind beside besides beyond near off out up down within per
via
who whom whose which what when where why how
not no never only just also too very really quite rather much many more most less least few lot lots bit even still
again already ever here there now once always often sometimes usually maybe perhaps
don't doesn't didn't isn't aren't wasn't weren't hasn't haven't hadn't can't cannot couldn't won't wouldn't shan't
shouldn't mustn't mightn't needn't ain't dont doesnt didnt isnt arent wasnt werent hasnt havent hadnt cant couldnt
wont wouldnt shouldnt im ive id ill youre youve hes shes theyre theyve weve thats whats theres lets let's
i'm i've i'd i'll you're you've you'd you'll he'd he'll she'd she'll we're we've we'd we'll they're they've they'd
they'll it'd it'll that'd that'll there'd there'll who'd who'll
s t d ll m re ve
"""

_FILLERS: Final = """
wow hey hi hello yeah yep yup yes nope nah ok okay oh ooh aw aww ah aha haha hahaha lol hmm hm um uh huh well please
thanks thank thx welcome bye goodbye cheers omg gosh btw anyway sure sorry congrats congratulations
"""

STOPWORDS: Final[frozenset[str]] = frozenset(_FUNCTION.split())
"""Function words of English."""

FILLERS: Final[frozenset[str]] = frozenset(_FILLERS.split())
"""Greetings, thanks, laughs and hesitations of chat, which say nothing about what a talk is about."""
