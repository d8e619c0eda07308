"""English verbs: a table of common ones, their forms, and how to inflect any other."""

from __future__ import annotations

from typing import Final

from trajwiki.language.lexicon import word_set

# base past participle; a form that is the same as the base is repeated.
_IRREGULAR: Final = """
arise arose arisen|awake awoke awoken|bear bore borne|beat beat beaten|become became become|begin began begun
bend bent bent|bet bet bet|bind bound bound|bite bit bitten|bleed bled bled|blow blew blown|break broke broken
breed bred bred|bring brought brought|broadcast broadcast broadcast|build built built|burst burst burst
buy bought bought|catch caught caught|choose chose chosen|come came come|cost cost cost|creep crept crept
cut cut cut|deal dealt dealt|dig dug dug|draw drew drawn|drink drank drunk|drive drove driven|eat ate eaten
fall fell fallen|feed fed fed|feel felt felt|fight fought fought|find found found|flee fled fled|fly flew flown
forbid forbade forbidden|forget forgot forgotten|forgive forgave forgiven|freeze froze frozen|get got gotten
give gave given|go went gone|grow grew grown|hang hung hung|hear heard heard|hide hid hidden|hit hit hit
hold held held|hurt hurt hurt|keep kept kept|kneel knelt knelt|know knew known|lay laid laid|lead led led
leave left left|lend lent lent|let let let|light lit lit|lose lost lost|make made made|mean meant meant
meet met met|mistake mistook mistaken|overcome overcame overcome|overhear overheard overheard|pay paid paid
prove proved proven|put put put|quit quit quit|read read read|rebuild rebuilt rebuilt|redo redid redone
rid rid rid|ride rode ridden|ring rang rung|rise rose risen|run ran run|say said said|see saw seen
seek sought sought|sell sold sold|send sent sent|set set set|sew sewed sewn|shake shook shaken|shine shone shone
shoot shot shot|show showed shown|shrink shrank shrunk|shut shut shut|sing sang sung|sink sank sunk|sit sat sat
sleep slept slept|slide slid slid|speak spoke spoken|spend spent spent|spill spilled spilled|spin spun spun
split split split|spread spread spread|spring sprang sprung|stand stood stood|steal stole stolen|stick stuck stuck
sting stung stung|strike struck struck|strive strove striven|swear swore sworn|sweep swept swept|swim swam swum
swing swung swung|take took taken|teach taught taught|tear tore torn|tell told told|think thought thought
throw threw thrown|undergo underwent undergone|understand understood understood|undertake undertook undertaken
undo undid undone|upset upset upset|wake woke woken|wear wore worn|weave wove woven|win won won
wind wound wound|withdraw withdrew withdrawn|write wrote written|rewrite rewrote rewritten|outgrow outgrew outgrown
rethink rethought rethought|retake retook retaken|retell retold retold|foresee foresaw foreseen|grind ground ground
burn burned burnt|learn learned learnt|dream dreamed dreamt|lean leaned leaned|spell spelled spelled
"""

_REGULAR: Final = """
accept accomplish ache achieve acquire act adapt add adjust admire admit adopt adore advance advise afford agree aim
allow amaze analyze announce annoy answer apologize appear apply appoint appreciate approach approve argue arrange
arrive ask assist assume attach attempt attend attract audition avoid award bake balance base battle beg behave
believe belong blend blog boil book borrow bother brainstorm breathe browse brush bug bump cage calculate call camp
cancel capture care carry carve cause celebrate challenge change charge chase chat check cheer chill claim clean
clear climb close coach code collaborate collect combine comfort commit commute compare compete complain complete
compose concentrate confess confirm connect consider consist consult contact contain continue contribute control
convert convince cook cope copy count cover craft crash crave create crochet cross cry cultivate curate cycle dance
dare date debate decide declare declutter decorate dedicate defend delay deliver demand depend describe deserve
design destress detect determine develop devote die dine direct disagree disappear disappoint discover discuss
dislike display dive divorce donate download draft drag dress drop dry earn edit educate email embrace emigrate
enable encounter encourage end engage enjoy enroll ensure enter entertain escape establish evaluate evolve examine
exchange excite exercise exist expand expect experience experiment explain explore express extend face fail
fascinate fear feature figure file fill film finalize finish fish fit fix focus follow force form foster found frame
freelance fry fulfill gain gamble garden garner gather generate google grab graduate graze grill grind guess guide
handle happen harvest hate head heal help hesitate hike hire honor hop hope host hug hunt hurry identify ignore
imagine immigrate impact impress improve include increase indulge influence inform inherit injure inspire install
intend interact interest interview introduce invent invest invite involve iron jam jog join joke journal juggle jump
kayak kick kid kill kiss knit knock label lack land last laugh launch lift like limit line list listen live load
locate lock look love lower maintain major manage march mark market marry master match matter measure meditate meet
mention mentor mess migrate miss mix model motivate move name need negotiate network notice nurse nurture obey
observe obtain occur offer open operate opt order organize originate overwhelm own pack paddle paint park
participate partner pass perfect perform persist pet phone photograph pick pitch plan plant play please plug point
polish post postpone pour practice practise pray prefer prep prepare present preserve press prevent print produce
program progress promise promote propose protect protest provide publish pull purchase pursue push question quilt
race raise reach react realize recall receive recharge recognize recommend reconnect record recover recruit recycle
redecorate reduce refer reflect refuse regret rehearse reject relate relax release relocate rely remain remember
remind remove renew renovate rent repair repeat replace reply report represent request require rescue research
reserve resign resolve respect respond rest restart restore restring resume retire return reunite reveal review
reward rock roll row ruin sail sample save scare schedule score scrapbook scream search secure seem select serve
settle share shift ship shop shout showcase sign sketch ski skip slip slow smell smile smoke snap snorkel snow
snowboard soak socialize solve sort sound spark specialize sponsor spot sprain stare start stay step stop store
strengthen stress stretch struggle study submit subscribe succeed suck suffer suggest suit supply support suppose
surf surprise surround survive swap switch tackle talk target taste tend test text thank thrive tie tinker touch
tour track trade train transfer transform transition translate travel treat trek trick trigger trim trip trust try
tune turn tutor twist type uncover understand unwind update upgrade upload urge use vacation value vent visit vlog
volunteer vote wait walk wander want warm warn wash waste watch water weigh welcome whip wish witness wonder work
worry worship wrap wreck yell zip
"""

_DOUBLING: Final = word_set(
    "admit commit submit permit prefer refer occur regret control equip snorkel program begin forget"
)

# Words that are verbs in this table and as often nouns: their place decides.
NOUN_VERBS: Final = word_set(
    """act aim answer approach award balance base battle blend blog book brush bug bump cage call camp care cause
    challenge change charge chat cheer claim clean climb coach code comfort contact control cook cost count cover
    craft crash cross cut cycle dance date deal debate delay demand design display dive draft draw dream dress drink
    drive drop dry email end escape exchange exercise experience experiment face fall fear feature feed fight figure
    file film find fish fit fly focus force form frame garden gain guess guide hang head help hike hit hold honor
    hope host hug hunt hurt impact increase influence interest interview iron jam joke journal journey judge jump
    kayak kick kid kiss label lack land laugh lead leave lift light limit line list load lock look love march mark
    market master match matter measure meet mess mix model move name need network notice nurse offer order paint
    park partner pass pet phone pick pitch plan plant play point polish post practice present press print program
    progress project promise protest purchase push question quilt race raise reach read record report request rescue
    research rest return review reward ride ring rise rock roll row run sail sample scare schedule score scream
    search seek set shake share shift ship shoot shop show sign sketch ski sleep slide slip smell smile smoke snap
    snow sort sound spark spread spring stand start stay step stick stop store stress stretch strike struggle study
    suit supply support surf surprise swap sweep swim swing switch talk target taste tear test text thank throw tie
    touch tour track trade train transfer transition travel treat trek trick trip trust try turn twist type update
    upgrade use vacation value view visit vlog volunteer vote wait walk wash waste watch water welcome win wind wish
    wonder work worry wrap wreck"""
)

BE: Final = word_set("am is are was were be been being 'm 're")
HAVE: Final = word_set("have has had having 've")
DO: Final = word_set("do does did")
MODALS: Final = word_set("can ca could will wo would shall sha should may might must ought 'll")

_VOWELS: Final = frozenset("aeiou")


def third_person(base: str) -> str:
    """Give the present third person of a verb: "go" -> "goes", "try" -> "tries"."""
    if base in {"be", "am", "are"}:
        return "is"
    if base == "have":
        return "has"
    if base.endswith(("s", "x", "z", "ch", "sh", "o")):
        return base + "es"
    if base.endswith("y") and base[-2:-1] not in _VOWELS:
        return base[:-1] + "ies"
    return base + "s"


def past(base: str) -> str:
    """Give the simple past of a verb: "go" -> "went", "plan" -> "planned"."""
    if base in {"be", "am", "are"}:
        return "was"
    if base in _PARTS:
        return _PARTS[base][0]
    if base.endswith("e"):
        return base + "d"
    if base.endswith("y") and base[-2:-1] not in _VOWELS:
        return base[:-1] + "ied"
    return (base + base[-1] if _doubles(base) else base) + "ed"


def participle(base: str) -> str:
    """Give the past participle of a verb: "go" -> "gone"."""
    return _PARTS[base][1] if base in _PARTS else past(base)


def gerund(base: str) -> str:
    """Give the -ing form of a verb: "make" -> "making"."""
    if base.endswith("ie"):
        return base[:-2] + "ying"
    if base.endswith("e") and not base.endswith(("ee", "oe", "ye")) and len(base) > 2:
        return base[:-1] + "ing"
    return (base + base[-1] if _doubles(base) else base) + "ing"


def _doubles(base: str) -> bool:
    if base in _DOUBLING:
        return True
    if len(base) < 3 or base[-1] in "aeiouwxy" or base[-2] not in _VOWELS:
        return False
    groups = sum(1 for i, c in enumerate(base) if c in _VOWELS and (i == 0 or base[i - 1] not in _VOWELS))
    return (groups == 1 and base[-3] not in _VOWELS) or base in {"quit", "equip"}


def _parts() -> dict[str, tuple[str, str]]:
    entries = [e.split() for e in _IRREGULAR.replace("\n", "|").split("|") if e.strip()]
    return {base: (first, second) for base, first, second in entries} | {"have": ("had", "had"), "do": ("did", "done")}


_PARTS: Final = _parts()
BASES: Final[frozenset[str]] = frozenset(_REGULAR.split()) | frozenset(_PARTS)
"""The verbs of the table, in their base form."""


def _forms() -> tuple[dict[str, str], dict[str, str], dict[str, str], dict[str, str]]:
    bases = sorted(BASES)
    gerunds = {gerund(b): b for b in bases} | {"travelling": "travel", "cancelling": "cancel"}
    return (
        {third_person(b): b for b in bases},
        {past(b): b for b in bases}
        | {
            "spilt": "spill",
            "learnt": "learn",
            "dreamt": "dream",
            "travelled": "travel",
            "dove": "dive",
            "cancelled": "cancel",
        },
        {participle(b): b for b in bases} | {"got": "get", "burned": "burn", "learned": "learn", "dreamed": "dream"},
        gerunds,
    )


THIRD, PAST, PARTICIPLE, GERUND = _forms()
"""Base forms by inflected form, for the verbs of the table."""

IRREGULAR_BASES: Final = {
    form: base for base, (first, second) in _PARTS.items() for form in (first, second) if form != base
}
"""Base forms of the irregular past forms, for stemming."""


def base_of(form: str) -> str:
    """Give the base form of a verb form: "went" -> "go", "adopted" -> "adopt"; a form it does not know stays."""
    if form in BASES:
        return form
    if form in BE or form == "'s":
        return "be"
    if form in HAVE:
        return "have"
    if form in DO or form in {"done", "doing"}:
        return "do"
    for table in (PAST, PARTICIPLE, GERUND, THIRD):
        if form in table:
            return table[form]
    return _guess(form)


def _guess(form: str) -> str:
    """The base of a regular form of a verb that is not in the table."""
    for ending in ("ied", "ies"):
        if form.endswith(ending) and len(form) > 5:
            return form[:-3] + "y"
    for ending in ("ing", "ed"):
        stem = form.removesuffix(ending)
        if stem != form and len(stem) > 2:
            if stem[-1] == stem[-2] and stem[-1] not in "lsz":
                return stem[:-1]
            return stem
    return form
