"""Reading of English chat: words, sentences, persons, names, lists, relations."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajwiki.language.entities import find_entities
from trajwiki.language.facets import FACETS, clean_value, read_facet
from trajwiki.language.foreign import foreign_facts, is_foreign, is_foreign_statement
from trajwiki.language.lists import find_list
from trajwiki.language.persons import Cast, display_name, possessive, to_third_person
from trajwiki.language.sentences import split_clauses, split_sentences
from trajwiki.language.stopwords import FILLERS, STOPWORDS
from trajwiki.language.tagging import tag
from trajwiki.language.tokenizing import render, tokenize
from trajwiki.language.tokens import count_words, fold, is_stopword, keywords, stem, words
from trajwiki.language.verbs import base_of, gerund, participle, past, third_person

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=200)  # lone surrogates and controls included


# Words.


def test_folding_makes_spellings_of_one_text_equal() -> None:
    assert fold("  ‘Café’  “À  la”\tCARTE ") == fold("'café' \"à la\" carte")
    assert fold("ＡＢＣ１２") == "abc12"


@given(ANY_TEXT)
def test_folding_is_idempotent_and_never_raises(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I don't like Ana's dog.", ["i", "don't", "like", "ana", "dog"]),
        ("10,000 steps at 25:50, 3.5 km", ["10000", "steps", "at", "25:50", "3.5", "km"]),
        ("self-care 5K", ["self", "care", "5k"]),
        ("我在北京", ["我在", "在北", "北京"]),
        ("猫", ["猫"]),
        ("हिन्दी बोलता", ["हिन्दी", "बोलता"]),
        ("get_user_info", ["get", "user", "info"]),
        ("\ud800 ok", ["ok"]),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    assert words(text) == expected


@pytest.mark.parametrize(
    "family",
    [
        ["pagination", "paginate", "paginated", "paginating"],  # F57
        ["adoption", "adopt", "adopting", "adopted"],
        ["went", "go", "going", "gone"],
        ["children", "child"],
        ["Zürich", "zurich"],
        ["Melanie's", "melanie"],
    ],
)
def test_forms_of_a_word_share_a_stem(family: list[str]) -> None:
    assert len({stem(w) for w in family}) == 1


def test_keywords_are_stems_of_content_words_in_order_with_repeats() -> None:
    assert keywords("Wow, I really love dogs and the dog loves me!") == ["love", "dog", "dog", "love"]
    assert is_stopword("The")
    assert not is_stopword("dog")
    assert not STOPWORDS & FILLERS


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("one two  three", 3),
        ("", 0),
        ("我在北京工作", 6),
        ("用Python3写", 3),
        ("ไปเที่ยว", 8),
        ("서울 여행", 4),
        ("!!! ...", 2),
    ],
)
def test_the_budget_rule(text: str, expected: int) -> None:
    assert count_words(text) == expected


@given(ANY_TEXT)
def test_a_text_never_counts_less_than_its_space_separated_words(text: str) -> None:
    assert count_words(text) >= len(text.split())


# Verbs.


@pytest.mark.parametrize(
    ("base", "third", "past_form", "participle_form", "ing"),
    [
        ("go", "goes", "went", "gone", "going"),
        ("try", "tries", "tried", "tried", "trying"),
        ("have", "has", "had", "had", "having"),
        ("plan", "plans", "planned", "planned", "planning"),
        ("write", "writes", "wrote", "written", "writing"),
        ("teach", "teaches", "taught", "taught", "teaching"),
        ("blorp", "blorps", "blorped", "blorped", "blorping"),
    ],
)
def test_verb_forms(base: str, third: str, past_form: str, participle_form: str, ing: str) -> None:
    assert (third_person(base), past(base), participle(base), gerund(base)) == (third, past_form, participle_form, ing)
    if base != "blorp":
        assert {base_of(f) for f in (third, past_form, participle_form, ing)} == {base}


# Sentences.


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I moved. Dr. Lee helped!", ["I moved.", "Dr. Lee helped!"]),
        ("It was fun!!So tired...but happy", ["It was fun!!", "So tired...but happy"]),
        ("We paid 3.50 at 5 p.m. yesterday.", ["We paid 3.50 at 5 p.m. yesterday."]),
        ("I saw it.Then I left.", ["I saw it.", "Then I left."]),
        ("- buy milk\n2. call Ana", ["buy milk", "call Ana"]),
        ("Great day 🎉 We won", ["Great day 🎉", "We won"]),
        ('She said "Stop. Now." and left.', ['She said "Stop. Now." and left.']),
        ("我住在北京。我喜欢猫。", ["我住在北京。", "我喜欢猫。"]),
        ("We ate at Joe's. By the way, hi.", ["We ate at Joe's.", "By the way, hi."]),
        (" \n ", []),
    ],
)
def test_sentences(text: str, expected: list[str]) -> None:
    assert [s.text for s in split_sentences(text)] == expected


@given(ANY_TEXT)
def test_sentences_stand_where_they_say(text: str) -> None:
    for sentence in split_sentences(text):
        assert text[sentence.start : sentence.start + len(sentence.text)] == sentence.text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I moved to Oslo in May, and my sister visited me.", ["I moved to Oslo in May", "my sister visited me."]),
        ("I went there - it was fun!", ["I went there", "it was fun!"]),
        ("When I was ten, I played chess.", ["When I was ten, I played chess."]),
        ("My friends and I went out.", ["My friends and I went out."]),
        (
            "I like the contrast between red and blue is what I say.",
            ["I like the contrast between red and blue is what I say."],
        ),
        ("I cook and bake.", ["I cook and bake."]),
    ],
)
def test_clauses(text: str, expected: list[str]) -> None:
    assert [render(c) for c in split_clauses(tag(text))] == expected


@given(ANY_TEXT)
def test_tokens_stand_where_they_say(text: str) -> None:
    for token in tokenize(text):
        assert 0 <= token.start <= token.end <= len(text)
    assert len(tag(text)) == len(tokenize(text))


# Persons.

ANA = Cast("Ana", "Ben")


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("I live in Oslo.", "Ana lives in Oslo."),
        ("I'm a nurse", "Ana is a nurse."),
        ("I've never flown", "Ana has never flown."),
        ("I don't eat meat", "Ana doesn't eat meat."),
        ("I'd love to paint", "Ana would love to paint."),
        ("I'd been ill", "Ana had been ill."),
        ("I'll call my mom", "Ana will call their mom."),
        ("I try to eat well and run daily", "Ana tries to eat well and run daily."),
        ("I love my dog and hate my alarm clock", "Ana loves their dog and hates their alarm clock."),
        ("I went home and slept", "Ana went home and slept."),
        ("I was tired when I got home", "Ana was tired when they got home."),
        ("My mom called when I was cooking", "Ana's mom called when Ana was cooking."),
        ("My kids and I went camping", "Ana and their kids went camping."),
        ("Me and my son play chess", "Ana and their son play chess."),
        ("After losing my job, I moved", "After losing their job, Ana moved."),
        ("We went to Rome", "Ana and others went to Rome."),
        ("Yoga helps me relax", "Yoga helps Ana relax."),
        ("A friend of mine sings", "A friend of Ana's sings."),
        ("I taught myself to knit", "Ana taught themselves to knit."),
        ("I saw you at the market", "Ana saw Ben at the market."),
        ("I met this guy at work", "Ana met a guy at work."),
        ("I painted that small lake", "Ana painted the small lake."),
        ("I quit this week", "Ana quit this week."),
        ("Im gonna start school", "Ana is going to start school."),
        ("My son's playing soccer", "Ana's son is playing soccer."),
    ],
)
def test_first_person_is_told_in_the_third(said: str, told: str) -> None:
    assert to_third_person(tag(said), ANA) == told


def test_company_is_named_where_it_is_known() -> None:
    assert to_third_person(tag("we flew home"), Cast("Ana", None, "their family")) == "Ana and their family flew home."


def test_you_is_told_only_when_there_is_one_other_person() -> None:
    assert to_third_person(tag("I saw you"), Cast("Ana", None)) is None


@pytest.mark.parametrize(
    ("speaker", "name"), [("user", "the user"), ("User", "the user"), ("Ana ", "Ana"), ("", "the user")]
)
def test_speakers_without_a_name_are_the_user(speaker: str, name: str) -> None:
    assert display_name(speaker) == name


def test_possessives() -> None:
    assert (possessive("Ana"), possessive("James")) == ("Ana's", "James'")


# Names and lists.


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("I met Ana Lopez at the Museum of Modern Art in May", ["Ana Lopez", "Museum of Modern Art"]),
        ('We watched "The Long Way" on Tuesday', ["The Long Way"]),
        ("New York is where NASA called", ["New York", "NASA"]),
        ("Honestly I love it", []),
        ("Rome and Oslo", ["Oslo"]),
        ("#ootd by Ana", ["#ootd", "Ana"]),
    ],
)
def test_names(text: str, names: list[str]) -> None:
    assert find_entities(text) == names


def test_a_known_name_counts_at_the_beginning_too() -> None:
    assert find_entities("Ben sings", ["Ben"]) == ["Ben"]


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("I play piano, violin and the clarinet", [["piano"], ["violin"], ["the", "clarinet"]]),
        ("I enjoy hiking and camping", [["hiking"], ["camping"]]),
        ("I slept", None),
    ],
)
def test_lists(text: str, items: list[list[str]] | None) -> None:
    found = find_list(tag(text))
    assert (found and [[t.text for t in item] for item in found.items]) == items


# Relations.


@pytest.mark.parametrize(
    ("subject", "predicate", "name", "value"),
    [
        ("Ana", "moved to Lisbon in May", "lives_in", "Lisbon"),
        ("Ana", "moved from Oslo to Lisbon", "lives_in", "Lisbon"),
        ("Ana", "lives in a small town", "lives_in", "a small town"),
        ("Ana", "works at Acme", "works_at", "Acme"),
        ("Ana", "works as a freelance designer", "job", "freelance designer"),
        ("Ana", "is a nurse", "occupation", "nurse"),
        ("Ana", "is allergic to nuts", "allergic_to", "nuts"),
        ("Ana", "is vegan now", "diet", "vegan"),
        ("Ana", "eats meat again", "diet", "meat"),
        ("Ana", "plays the clarinet", "instrument", "the clarinet"),
        ("Ana", "loves tea", "likes", "tea"),
        ("Ana", "hates tea", "dislikes", "tea"),
        ("Ana", "has a dog named Rex", "pet", "a dog named Rex"),
        ("Ana", "is planning to visit Rome next month", "plans", "visit Rome"),
        ("Ana", "visited Rome last week", "visited", "Rome"),
        ("Ana's son", "is called Tim", "child", "Tim"),
        ("Ana's friend", "is called Tim", "friend", "Tim"),
        ("Ana's favorite book", "is Emma", "favourite", "Emma"),
        ("Ana's commute", "takes 45 minutes", "measure", "45 minutes"),
        ("Ana's name", "is Anabel", "name", "Anabel"),
    ],
)
def test_relations(subject: str, predicate: str, name: str, value: str) -> None:
    reading = read_facet(subject, predicate)
    assert reading is not None
    assert (reading.facet.name, reading.facet.value) == (name, value)
    assert name in FACETS


def test_relations_know_what_replaces_and_what_denies_them() -> None:
    assert FACETS["lives_in"].single_valued
    assert not FACETS["pet"].single_valued
    assert FACETS["likes"].opposite == "dislikes"
    assert FACETS[FACETS["likes"].opposite].opposite == "likes"


def test_values_end_where_the_time_or_the_reason_begins() -> None:
    assert clean_value("Lisbon last May because of work") == "Lisbon"


# Other languages.


@pytest.mark.parametrize(
    "text",
    [
        "Vivo en Madrid con mi familia.",
        "Ich wohne seit gestern in Berlin.",
        "J'habite à Lyon avec mon chat.",
        "我住在上海。",
        "Я живу в Москве.",
        "أعمل في دبي",
    ],
)
def test_other_languages_are_told_apart(text: str) -> None:
    assert is_foreign(text)
    assert is_foreign_statement(text)


@pytest.mark.parametrize("text", ["I live in Madrid.", "Go get 'em!", "ok", "De nada", "LOL", "Café Roma was great"])
def test_english_is_not_foreign(text: str) -> None:
    assert not is_foreign(text)


@pytest.mark.parametrize(
    ("text", "facet", "value"),
    [
        ("Me llamo Lucía.", "name", "Lucía"),
        ("Vivo en Sevilla.", "lives_in", "Sevilla"),
        ("J'habite à Lyon.", "lives_in", "Lyon"),
        ("Ich arbeite bei Siemens.", "works_at", "Siemens"),
        ("Eu gosto de café.", "likes", "café"),
        ("我住在上海。", "lives_in", "上海"),
        ("我叫小明。", "name", "小明"),
        ("東京に住んでいます。", "lives_in", "東京"),
        ("Я живу в Москве.", "lives_in", "Москве"),
        ("أعيش في دبي منذ سنتين.", "lives_in", "دبي"),
    ],
)
def test_plain_facts_in_other_languages(text: str, facet: str, value: str) -> None:
    assert [(f.facet, f.value) for f in foreign_facts(text)] == [(facet, value)]


def test_greetings_and_questions_in_other_languages_state_nothing() -> None:
    assert not any(is_foreign_statement(t) for t in ("Hola Ana!", "你好！", "¿Dónde vives?", "Danke."))
