"""How relations are worded: the patterns by which they are read from third-person predicates."""

from __future__ import annotations

import re
from typing import Final

from trajwiki.language.lexicon import PETS

_ADVERBS: Final = (
    "just|recently|finally|also|now|currently|still|really|actually|always|already|once|even|absolutely|usually|often"
    "|sometimes|never|no longer|probably|n't"
)
_ADV: Final = rf"(?:(?:{_ADVERBS}) )*"
_HAS: Final = rf"(?:has |have |had )?{_ADV}"

ANY: Final = r"(?P<v>[^,;:()]+)"
NAME: Final = r"(?P<v>(?:the |downtown |[Nn]orthern |[Ss]outhern )?[A-Z][^,;:()]*(?:, [A-Z][\w.]+)?)"
PLACE: Final = r"(?P<v>(?:(?:an? |the |their |downtown )(?:[\w-]+ ){0,3}|[Nn]orthern |[Ss]outhern )?[\w][^,;:()]*)"
_NOT_TO_LEARN: Final = (
    r"(?! (?:an? |the |their )?(?:new )?(?:gym|school|university|college|kindergarten|daycare|nursery)\b)"
)
_TRADE: Final = rf"(?:an? |the )?{ANY}"
_ONE: Final = r"an? |one |two |three |four |five |six |seven |eight |nine |ten |\d+ "

_INSTRUMENTS: Final = (
    "piano|guitar|violin|clarinet|flute|drums?|cello|saxophone|sax|trumpet|ukulele|harp|banjo|bass|keyboard|trombone"
    "|viola|harmonica|oboe|accordion|mandolin|recorder|organ|bongos|didgeridoo|sitar|tabla"
)
_SPORTS: Final = (
    "basketball|soccer|football|tennis|baseball|volleyball|golf|hockey|rugby|cricket|badminton|softball|squash"
    "|lacrosse|pickleball|table tennis|ping-pong|chess|bowling"
)
_LANGUAGES: Final = (
    "English|Spanish|French|German|Italian|Chinese|Mandarin|Japanese|Korean|Portuguese|Arabic|Hindi|Russian|Dutch"
    "|Swedish|Polish|Turkish|Greek|Hebrew"
)
_EVENTS: Final = (
    "concert|festival|conference|workshop|wedding|party|parade|show|exhibition|meeting|class|event|game|fair|retreat"
    "|seminar|gala|group|session|meetup|summit|tournament|convention|play|performance|fundraiser|marathon|race|run"
    "|ceremony|reunion|con"
)
_CHILDREN: Final = "kids?|children|sons?|daughters?|boys|girls|twins|baby"
_DIETS: Final = r"vegan|vegetarian|pescatarian|gluten-free|keto|lactose[- ]intolerant"
_TAKEN: Final = "started|got|began|took|accepted|landed"
_INTENDING: Final = "planning|going|hoping|thinking|looking|considering|preparing|getting ready|about|aiming"
_WANTING: Final = "plans|intends|wants|hopes|would love|would like|decided|has decided|can't wait|plan"

# Name of the relation; "is" for verbs that adverbs may precede, "has" for those that "has" may; the verbs; the value.
_ROWS: Final = (
    ("lives_in", "is", r"(?:lives?|(?:is|are) living|resides|is based|has been living|has lived) (?:\w+ )??in", ANY),
    ("lives_in", "is", r"(?:is|are) (?:\w+ )?(?:based|settled) in", NAME),
    ("lives_in", "has", r"(?:moved|relocated|settled)(?: from \w+(?: \w+)?| \w+)?? (?:to|in|into)", NAME),
    ("moved_from", "has", r"(?:moved|relocated|emigrated|immigrated)(?: \w+){0,3}? from", ANY),
    ("home_country", "is", r"(?:is|comes|was born|grew up|was raised) (?:originally )?(?:from)", NAME),
    ("home_country", "is", r"(?:was born|grew up|was raised) in", NAME),
    ("works_at", "is", r"(?:works|work|is working|has been working|is employed) (?:\w+ ){0,4}?(?:at|for)", PLACE),
    ("works_at", "has", r"(?:started|starts|began) (?:working )?(?:at|with)" + _NOT_TO_LEARN, PLACE),
    (
        "works_at",
        "has",
        rf"(?:{_TAKEN}) (?:a |the |their )?(?:\w+ ){{0,3}}?(?:job|position|role|work|working) (?:at|with)",
        ANY,
    ),
    (
        "job",
        "is",
        r"(?:works|is working|has been working|was hired|got hired|got promoted) (?:as|to)",
        _TRADE,
    ),
    ("job", "has", rf"(?:{_TAKEN}) (?:a |the |their )?(?:\w+ ){{0,3}}?(?:job|position|role) as", _TRADE),
    (
        "relationship_status",
        "is",
        r"(?:is|are|got|is getting|has been)",
        r"(?P<v>single|married|engaged|divorced|widowed|separated)\b.*",
    ),
    (
        "partner",
        "is",
        r"(?:is dating|is seeing|is married to|is engaged to|got engaged to|got married to|married)",
        r"(?P<v>(?:an? |the )?[A-Z]\w+(?: [A-Z]\w+)*)\b.*",
    ),
    ("child", "is", r"(?:has|have)", rf"(?P<v>(?:{_ONE})(?:\w+ )?(?:{_CHILDREN})\b[^,;]*)"),
    (
        "pet",
        "has",
        r"(?:has|have|got|adopted|owns|bought|rescued)",
        rf"(?P<v>(?:{_ONE}|another |their )(?:[\w-]+ ){{0,3}}?(?:{'|'.join(sorted(PETS))})\b[^,;]*)",
    ),
    ("allergic_to", "is", r"(?:is|are) (?:\w+ )?(?:allergic|intolerant) to", ANY),
    (
        "diet",
        "is",
        r"(?:is|are|became|went|has been|is going|turned)",
        rf"(?:an? |mostly )?(?P<v>{_DIETS})\b.*",
    ),
    ("diet", "is", r"(?:eats|is eating|started eating|has started eating|ate)", r"(?P<v>meat)\b.*"),
    (
        "age",
        "is",
        r"(?:is|turned|just turned|is turning)",
        r"(?P<v>\d{1,3}(?: years old)?|(?:twenty|thirty|forty|fifty|sixty)[- ]?\w*)\s*",
    ),
    (
        "instrument",
        "is",
        r"(?:plays?|(?:is|has been) learning|started playing|learned|(?:has been|is) playing|started learning)"
        r"(?: to play)?",
        rf"(?P<v>(?:the |an? )?(?:\w+ )?(?:{_INSTRUMENTS})\b)[^,;]*",
    ),
    (
        "sport",
        "is",
        r"(?:plays?|has been playing|is playing|played|started playing)",
        rf"(?P<v>(?:{_SPORTS})\b)[^,;]*",
    ),
    (
        "language",
        "is",
        r"(?:speaks?|is learning|is fluent in|has been learning)",
        rf"(?P<v>(?:{_LANGUAGES})\b[^,;]*)",
    ),
    (
        "studies",
        "is",
        r"(?:studies|is studying|studied|is majoring in|majors in|majored in|has been studying|graduated in"
        r"|has a degree in)",
        ANY,
    ),
    (
        "school",
        "has",
        r"(?:graduated from|attends|goes to|is attending|got into|enrolled (?:in|at))",
        NAME,
    ),
    (
        "dislikes",
        "is",
        r"(?:hates?|dislikes|can't stand|despises|hated|loathes|(?:is not|isn't) a (?:big )?fan of)",
        ANY,
    ),
    (
        "plans",
        "is",
        rf"(?:is|are|was|were) (?:\w+ly |also |now |still |actually )?(?:{_INTENDING})"
        r"(?: (?:of|about|on|for|to|forward to))*",
        ANY,
    ),
    ("plans", "has", r"(?:called off|cancell?ed|postponed|dropped|scrapped) (?:the|their|plans for|a)", ANY),
    ("plans", "is", rf"(?:(?:{_WANTING}) to|will)(?: (?:also|just|probably|definitely|really|typically|maybe))*", ANY),
    ("goal", "is", r"(?:dreams|dreamed|has always dreamed) of", ANY),
    (
        "likes",
        "is",
        r"(?:loves?|likes?|enjoys?|adores|prefers|(?:is|are) (?:\w+ ){0,2}into|is keen on|is passionate about"
        r"|is a (?:huge |big )?fan of|is obsessed with|has always loved|is fond of|is interested in)",
        ANY,
    ),
    ("won", "has", "won", ANY),
    (
        "attended",
        "has",
        r"(?:attended|participated in|took part in|joined in|went to)",
        rf"(?P<v>(?:an? |the |their |[A-Z])[^,;]*?(?:{_EVENTS})\b[^,;]*)",
    ),
    (
        "visited",
        "has",
        r"(?:visited|travell?ed to|flew to|went to|toured|explored|(?:has )?been to|took a trip to|went on a trip to"
        r"|drove to|got back from|returned from|came back from|is back from)",
        ANY,
    ),
    ("bought", "has", r"(?:bought|purchased|ordered|picked up|treated themselves to)", ANY),
    ("read", "has", r"(?:read|finished reading|is reading|has been reading|reads|re-read)", ANY),
    (
        "watched",
        "has",
        r"(?:watched|is watching|saw|finished watching|has been watching|rewatched|binged)",
        r"(?P<v>(?:[\"“A-Z]|an? |the )[^,;]*)",
    ),
    ("listened", "has", r"(?:listened to|listens to|is listening to|has been listening to)", ANY),
    (
        "made",
        "has",
        r"(?:made|painted|built|baked|cooked|wrote|drew|composed|crafted|designed|created|knitted|sewed)",
        ANY,
    ),
    (
        "volunteers",
        "has",
        r"(?:volunteers|volunteered|is volunteering|has been volunteering|started volunteering) (?:\w+ )?"
        r"(?:at|for|with|in)",
        ANY,
    ),
    ("joined", "has", r"(?:joined|signed up for|enrolled in|registered for)", ANY),
    ("started", "has", r"(?:started|began|opened|launched|founded|took up)", ANY),
    ("lost", "has", "lost", ANY),
    (
        "received",
        "has",
        r"(?:received|got|was given|won)",
        r"(?P<v>(?:an? |the |some |their )[^,;]+) (?:from|for)\b.*",
    ),
    ("recommended", "has", r"(?:recommends|recommended|suggests)", ANY),
    ("health", "is", r"(?:has been diagnosed with|was diagnosed with|suffers from|got diagnosed with)", ANY),
    (
        "hobby",
        "is",
        r"(?:goes|is getting into|got into|practices|has been (?:doing|practicing)|does|started doing|tries to do)",
        ANY,
    ),
    (
        "relative",
        "is",
        r"(?:has|have)",
        rf"(?P<v>(?:{_ONE})(?:\w+ ){{0,2}}(?:brothers?|sisters?|siblings?|cousins?|nephews?|nieces?)\b.*)",
    ),
    ("owns", "is", r"(?:owns|has)", rf"(?P<v>(?:{_ONE})[^,;]+)"),
)
PATTERNS: Final = tuple(
    (name, re.compile(f"{_ADV if lead == 'is' else _HAS}{verbs} {value}")) for name, lead, verbs, value in _ROWS
)
"""Relations with the patterns that read them, in the order in which they are tried."""

_JOBS: Final = (
    "teacher|nurse|doctor|engineer|developer|designer|writer|artist|lawyer|student|manager|director|programmer"
    "|scientist|chef|musician|banker|accountant|counselor|therapist|photographer|dancer|actor|actress|freelancer"
    "|consultant|analyst|researcher|professor|journalist|architect|mechanic|electrician|plumber|farmer|firefighter"
    "|pilot|pharmacist|dentist|librarian|barista|streamer|gamer|screenwriter|entrepreneur|veteran|major|founder|owner"
    "|ceo|intern|salesperson|paramedic|surgeon|psychologist|economist|singer|painter|baker|coach|tutor"
)
OCCUPATION: Final = re.compile(
    r"(?:is|has been|became) (?:(?:currently|now|also|originally|probably|still|actually) )*(?:an? |the )"
    rf"(?P<v>(?:[\w-]+ ){{0,3}}?(?:{_JOBS}))(?: (?:at|for|in|who|but|and|with|from)\b.*)?\Z",
    re.IGNORECASE,
)
"""What somebody is by trade: "is a freelance designer"."""

_MONTHS: Final = "January|February|March|April|May|June|July|August|September|October|November|December"
TRAILING: Final = re.compile(
    r"\s+(?:because|when|while|where|which|who|since|until|so|but|although|though|if|as|after|before|during|whenever"
    r"|and (?:they|it|he|she|then|has|is|was|started|got|went|am|had|will)"
    r"|for (?:the past|a while|years|over|about|\w+ years)|to (?:help|get|see|make|keep)"
    r"|that (?:is|was|they|has|helps|makes)|with (?:their|the|some|a friend|friends)"
    r"|for (?:good|now|work)|these days|at the moment|again|too|yet|already|lately|recently|anymore|now"
    r"|nowadays|yesterday|today|tonight|tomorrow|soon"
    rf"|(?:last|next|this|every|each) \w+|in (?:\d{{4}}|{_MONTHS})|on (?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day"
    r"|(?:a|two|three|four|five|few|several|couple) (?:of )?(?:days?|weeks?|months?|years?) ago|ago)\b.*\Z"
)
"""What follows a value and is no part of it: clauses, times, company."""
