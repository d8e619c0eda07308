"""Closed classes of English words, and the small open ones that the rules of reading need."""

from __future__ import annotations

from typing import Final


def word_set(words: str) -> frozenset[str]:
    """Give the words of a text as a set: how the tables here are written."""
    return frozenset(words.split())


def phrases(text: str) -> tuple[tuple[str, ...], ...]:
    """Give the phrases of a table, one a line or between bars, each as its words."""
    return tuple(tuple(p.split()) for p in text.replace("\n", "|").split("|") if p.strip())


DETERMINERS: Final = word_set(
    """a an the this that these those some any each every either neither both all no another such several many few
    much most more enough plenty"""
)
POSSESSIVES: Final = word_set("my your his her its our their")
SUBJECTS: Final = word_set("i you he she it we they")
OBJECTS: Final = word_set(
    "me him them us myself yourself himself herself itself ourselves themselves mine yours ours hers theirs"
)
INDEFINITE: Final = word_set(
    """someone somebody something anyone anybody anything everyone everybody everything nobody nothing none one"""
)
PREPOSITIONS: Final = word_set(
    """of in on at by for with without from into onto upon about above below under over between among through during
    against toward towards across along around behind beside besides beyond near off out up down inside outside per
    via
    despite within throughout past than like unlike amid aboard"""
)
SUBORDINATORS: Final = word_set(
    """because when while if unless although though whenever wherever whereas whether until till since before after as
    once"""
)
RELATIVES: Final = word_set("who whom whose which what where how why that")
COORDINATORS: Final = word_set("and or but nor so yet plus & then")
ADVERBS: Final = word_set(
    """really also just still always never often usually sometimes recently finally actually definitely even already
    currently probably totally only now then absolutely mostly truly soon once here there too very quite rather pretty
    so almost nearly ever again maybe perhaps instead together today tonight tomorrow yesterday lately forever
    basically super alone away back abroad home upstairs downtown outdoors online later ago twice else indeed well
    not n't nowadays however therefore moreover meanwhile somewhere everywhere anywhere nowhere anymore anyway
    kinda sorta hopefully luckily sadly"""
)
LY_NOT_ADVERBS: Final = word_set(
    """family only early lovely friendly daily weekly monthly yearly italy july assembly reply supply apply rely fly
    ally bully belly jelly lily lonely likely unlikely elderly costly curly silly ugly holy chilly hilly butterfly
    anomaly monopoly homily wrinkly deadly lively orderly emily sally molly kelly billy holly polly lilly
    nelly beverly kimberly elly shelly willy dolly"""
)

# What people are called by their part in a life; singular and plural.
PERSON_SINGULAR: Final = word_set(
    """mom mum mother dad father sister brother son daughter wife husband partner spouse girlfriend boyfriend fiance
    fiancee fiancé fiancée friend bestie cousin aunt uncle niece nephew grandma grandmother granny grandpa grandfather
    grandson granddaughter kid child baby toddler boss manager coworker colleague roommate neighbor neighbour teacher
    professor coach mentor therapist counselor doctor dentist nurse instructor trainer student classmate teammate
    buddy pal man woman guy girl boy lady person someone somebody stepmom stepdad stepson stepdaughter ex landlord
    tutor supervisor client customer artist author singer musician chef stranger veteran twin sibling
    bandmate co-worker co-founder stepbrother stepsister hubby mama papa nana fella dude"""
)
PERSON_PLURAL: Final = word_set(
    """kids children parents friends buddies pals sisters brothers sons daughters siblings cousins aunts uncles nieces
    nephews grandparents grandkids grandchildren coworkers colleagues roommates neighbors neighbours teachers
    professors students classmates teammates people men women guys girls boys ladies folks peeps fans dancers clients
    customers babies twins toddlers youngsters kiddos others everyone everybody volunteers veterans artists authors
    strangers members bandmates co-workers couples families relatives in-laws teens teenagers adults boyz mates
    players musicians actors followers readers viewers mentors doctors nurses"""
)
COLLECTIVES: Final = word_set("family team group band club crew couple gang fam")
PETS: Final = word_set(
    """dog cat puppy pup kitten kitty hamster rabbit bunny parrot parakeet goldfish fish turtle tortoise lizard gecko
    snake horse pony guinea-pig ferret bird cockatiel hedgehog chinchilla iguana dogs cats puppies pups kittens
    hamsters rabbits bunnies parrots turtles snakes horses ferrets birds labrador retriever beagle bulldog poodle
    husky corgi dachshund chihuahua"""
)
RELATIONS: Final = PERSON_SINGULAR - word_set("man woman guy girl boy lady person someone somebody stranger fella dude")

FEELINGS: Final = word_set(
    """excited happy glad sad thrilled stoked proud nervous tired sorry grateful thankful ready sick scared worried
    pumped psyched hyped eager keen curious surprised relieved exhausted lucky afraid anxious busy swamped stressed
    interested passionate delighted honored obsessed addicted bummed blessed sure confident done bored hungry
    determined committed hooked single married engaged divorced pregnant"""
)

# Words of praise and blame, which say nothing when they stand with a pronoun alone.
EVALUATIVE: Final = word_set(
    """amazing awesome great cool nice good bad wonderful fantastic incredible lovely beautiful gorgeous stunning
    terrific brilliant excellent perfect super special fun funny hilarious inspiring inspirational impressive powerful
    emotional rewarding fulfilling tough hard difficult easy challenging rough scary exciting interesting fascinating
    crazy wild insane unreal sweet cute adorable delicious tasty yummy fab fabulous epic magical memorable meaningful
    important crucial vital key essential worth worthwhile helpful useful awful terrible horrible sad hectic stressful
    relaxing peaceful calming soothing refreshing comforting heartwarming touching moving thoughtful kind true
    right wrong
    fine okay ok well best better worst worse blast treat joy pleasure delight dope sick lit neat rad solid
    huge big enough possible impossible priceless precious nerve-wracking intense surreal bittersweet overwhelming
    encouraging motivating uplifting eye-opening life-changing game-changer thrilling exhilarating therapeutic
    satisfying enjoyable entertaining engaging captivating breathtaking spectacular impactful vibrant lively cozy
    chill dreamy majestic serene tranquil quiet unforgettable unbelievable invaluable valuable beneficial
    frustrating annoying disappointing depressing heartbreaking tragic painful devastating boring tiring exhausting
    draining daunting tricky weird strange odd bummer shame pity lucky fortunate cathartic"""
)

# Content words that by themselves make no fact worth keeping: encouragement, effort, feeling, talk about talk.
VAGUE: Final = word_set(
    """thing things stuff way ways lot lots bit time times moment moments dream dreams goal goals best hard effort
    support supportive positive journey life world word words help mind thought thoughts feeling feelings feel feels
    felt keep keeps kept keeping push pushing go goes going gone went try tries trying tried make makes making made
    do does doing did done be get gets getting got have has having had know knows knew think thinks thought believe
    see sees seeing saw look looks looking hear hearing heard say says said tell told talk talking mean means meant
    want wants wanted need needs hope hopes hoping wish love loves loved loving like likes liked enjoy enjoys
    appreciate appreciates agree agrees understand understands understood remember imagine stay stays staying
    take takes taking took give gives giving gave come comes coming came let lets wait start started starting stop
    eye interest regular option end become challenge challenges obstacle obstacles setback setbacks progress
    success passion passions confidence
    motivation motivated determined determination strength courage hope happiness joy love peace energy vibe vibes
    spirit inspiration inspire inspired inspires inspiring experience experiences memory memories adventure
    adventures opportunity opportunities chance growth change changes difference impact part step steps future past
    present day days today lately recently now soon again always still really also just even ever never definitely
    everything something anything nothing everyone someone anyone people person others guy guys idea ideas plan plans
    luck fan question questions advice tip tips info sense reason reasons point kind sort type people update updates
    news pic pics photo photos picture pictures forward back together able sure ready happy glad excited thankful
    grateful proud lucky sorry honest honestly true real reality truth heart soul self hang bring brings catch
    share shares sharing shared work works working deal deals deal pay pays paid off worry worries worried cheer
    chat mention mentioned reminder reminds remind reminded nice interesting new big little much many more most less
    keen pumped stoked thrilled helping helps helped chasing chase pursue pursuing follow following accomplish
    achieve achieving achieved reach reaching improve improving face facing find finding found figure handle overcome
    overcoming grow growing learn learning count blessed blessing blessings bond bonds bonding connection connections
    attitude outlook mindset perspective focus focused care caring cares guess wonder loop touch ton tons bunch
    whole rest anyone side corner place places sound sounds seem seems sight scene power perfect meaning matter
    matters
    quality whatever belong belonged shake enthusiasm urge hand humble hurdle hurdles confidence far chapter hold
    holds holding quit quits back backs kindness situation situations voice hearts attitude energy surge track
    ahead alive beat show shows showing join harder easier worries
    passions emotions emotion spirits fulfillment gratitude presence balance mental mood fire worst roller coaster
    rollercoaster
    accomplishment satisfaction authentic authentically truly self-expression creativity creative beauty importance
    simple simpler small own open openness stuff cherish treasure savor boost boosts impacts invincible capable
    lift lifts uplift encourage encouragement motivating motivate motivates check checking happen happening
    happened similar elated content bigger next last something lives empowering everyday minute minutes second
    seconds while moment couldn't shot use using used set put thank thanks
    response own year years month months week weeks huge hard answer reply answers suggestion suggestions
    recommendation recommendations recommend suggest list detail
    details information option options example examples"""
)

INTERJECTIONS: Final = word_set(
    """wow hey hi hello yeah yep yup yes nope nah ok okay oh ooh aw aww awww ah aha haha hahaha lol hmm hm um uh well
    please thanks thx cheers omg gosh btw sure sorry congrats congratulations whoa woah yay yo ugh phew oops
    damn dang man dude gotcha absolutely exactly totally definitely certainly indeed agreed true right cool great
    awesome nice wonderful fantastic amazing perfect sweet lovely good anyway anyways so hahahaha heh hehe ha hooray
    bravo wait shoot boy girl ouch yikes yup likewise welcome bye goodbye morning evening no why unfortunately
    honestly actually basically frankly luckily thankfully fortunately sadly hopefully obviously seriously
    personally speaking alright righty ditto also plus and but or then"""
)
