"""The temporal reader: which words are a time, and which days they mean."""

from __future__ import annotations

import time
from datetime import UTC, date, datetime, timedelta, timezone
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trajwiki.domain.times import Precision, TimeSpan
from trajwiki.language.times import find_durations, find_numbers, find_times, parse_number, span_words

WEDNESDAY = datetime(2023, 5, 24, 13, 14, tzinfo=UTC)
MONDAY = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
SATURDAY = datetime(2023, 7, 15, 10, 0, tzinfo=UTC)
SUNDAY = datetime(2022, 7, 10, 9, 0, tzinfo=UTC)
NEW_YEAR = datetime(2024, 1, 2, 9, 0, tzinfo=UTC)
OCTOBER = datetime(2023, 10, 17, 9, 0, tzinfo=UTC)

# (sentence, words, said at, span, precision)
ROWS = [
    # the days around
    ("I went to a support group yesterday.", "yesterday", MONDAY, "2023-05-07", "day"),
    ("It rained yesterday evening", "yesterday evening", MONDAY, "2023-05-07", "day"),
    ("I quit the day before yesterday", "the day before yesterday", MONDAY, "2023-05-06", "day"),
    ("We talked today", "today", MONDAY, "2023-05-08", "day"),
    ("TONIGHT we dance!", "TONIGHT", MONDAY, "2023-05-08", "day"),
    ("I ran this morning", "this morning", MONDAY, "2023-05-08", "day"),
    ("Earlier today I ran", "Earlier today", MONDAY, "2023-05-08", "day"),
    ("See you tomorrow!", "tomorrow", MONDAY, "2023-05-09", "day"),
    ("We leave the day after tomorrow.", "the day after tomorrow", MONDAY, "2023-05-10", "day"),
    ("Last night was amazing!", "Last night", MONDAY, "2023-05-07", "day"),
    ("It snowed the night before last.", "the night before last", MONDAY, "2023-05-06", "day"),
    # so long ago
    ("I went there three days ago", "three days ago", WEDNESDAY, "2023-05-21", "day"),
    ("I got a puppy two weeks ago!", "two weeks ago", WEDNESDAY, "2023-05-08/2023-05-14", "week"),
    ("I left 3 months ago", "3 months ago", WEDNESDAY, "2023-02-01/2023-02-28", "month"),
    ("I began a year ago.", "a year ago", WEDNESDAY, "2022-01-01/2022-12-31", "year"),
    ("My 18th birthday was ten years ago", "ten years ago", WEDNESDAY, "2013-01-01/2013-12-31", "year"),
    ("I got it twenty-five years ago", "twenty-five years ago", WEDNESDAY, "1998-01-01/1998-12-31", "year"),
    ("We met a year ago today", "a year ago today", WEDNESDAY, "2022-05-24", "day"),
    ("I called two hours ago", "two hours ago", WEDNESDAY, "2023-05-24", "day"),
    ("I called 14 hours ago", "14 hours ago", WEDNESDAY, "2023-05-23", "day"),
    ("I went a few weeks ago.", "a few weeks ago", WEDNESDAY, "2023-04-17/2023-05-14", "approximate"),
    ("I saw it a couple of months ago", "a couple of months ago", WEDNESDAY, "2023-02-01/2023-03-31", "approximate"),
    ("Just a couple days ago", "a couple days ago", WEDNESDAY, "2023-05-21/2023-05-22", "approximate"),
    ("I watched it a few years back", "a few years back", WEDNESDAY, "2018-01-01/2021-12-31", "approximate"),
    ("It was about five years ago", "about five years ago", WEDNESDAY, "2017-01-01/2019-12-31", "approximate"),
    ("It was over ten years ago", "over ten years ago", WEDNESDAY, "2012-01-01/2013-12-31", "approximate"),
    ("It was 2-3 weeks ago", "2-3 weeks ago", WEDNESDAY, "2023-05-01/2023-05-14", "approximate"),
    ("I moved a year and a half ago", "a year and a half ago", WEDNESDAY, "2021-10-01/2021-12-31", "approximate"),
    ("It was a year or so ago", "a year or so ago", WEDNESDAY, "2021-01-01/2022-12-31", "approximate"),
    ("I read it years ago", "years ago", WEDNESDAY, "2003-01-01/2021-12-31", "approximate"),
    ("It was a long time ago", "a long time ago", WEDNESDAY, "../2022-05-24", "approximate"),
    ("I injured myself not too long ago", "not too long ago", WEDNESDAY, "2023-02-24/2023-05-24", "approximate"),
    ("We camped two weekends ago.", "two weekends ago", WEDNESDAY, "2023-05-13/2023-05-14", "weekend"),
    ("It was three Fridays ago", "three Fridays ago", WEDNESDAY, "2023-05-05", "day"),
    ("It's been three weeks since I went", "three weeks since", WEDNESDAY, "2023-05-01/2023-05-07", "week"),
    # so far ahead
    ("We're leaving in two weeks", "in two weeks", WEDNESDAY, "2023-06-05/2023-06-11", "week"),
    ("It opens in 3 months' time", "in 3 months' time", WEDNESDAY, "2023-08-01/2023-08-31", "month"),
    ("I'll know in a few days", "in a few days", WEDNESDAY, "2023-05-26/2023-05-29", "approximate"),
    ("The trip is two weeks from now", "two weeks from now", WEDNESDAY, "2023-06-05/2023-06-11", "week"),
    ("A week from Friday is fine", "A week from Friday", WEDNESDAY, "2023-06-02", "day"),
    # last, this, next
    ("I was in Paris last week", "last week", WEDNESDAY, "2023-05-15/2023-05-21", "week"),
    ("This week is busy", "This week", WEDNESDAY, "2023-05-22/2023-05-28", "week"),
    ("We start next week", "next week", WEDNESDAY, "2023-05-29/2023-06-04", "week"),
    ("I painted it last year!", "last year", MONDAY, "2022-01-01/2022-12-31", "year"),
    ("She hurt herself last month", "last month", OCTOBER, "2023-09-01/2023-09-30", "month"),
    ("We go camping next month", "next month", MONDAY, "2023-06-01/2023-06-30", "month"),
    ("We went hiking last weekend", "last weekend", WEDNESDAY, "2023-05-20/2023-05-21", "weekend"),
    ("We went hiking last weekend", "last weekend", SUNDAY, "2022-07-02/2022-07-03", "weekend"),
    ("It is fun this weekend", "this weekend", SUNDAY, "2022-07-09/2022-07-10", "weekend"),
    ("I plan to run this weekend", "this weekend", WEDNESDAY, "2023-05-27/2023-05-28", "weekend"),
    ("We had fun this weekend", "this weekend", MONDAY, "2023-05-06/2023-05-07", "weekend"),
    ("That trip this past weekend was insane", "this past weekend", WEDNESDAY, "2023-05-20/2023-05-21", "weekend"),
    ("Let's meet next weekend", "next weekend", WEDNESDAY, "2023-06-03/2023-06-04", "weekend"),
    ("Anything fun over the weekend?", "over the weekend", MONDAY, "2023-05-06/2023-05-07", "weekend"),
    ("Any plans for the weekend?", "for the weekend", WEDNESDAY, "2023-05-27/2023-05-28", "weekend"),
    ("I met her last Friday", "last Friday", SATURDAY, "2023-07-14", "day"),
    ("I met her last Saturday", "last Saturday", SATURDAY, "2023-07-08", "day"),
    ("I joined last Tues. It's fun.", "last Tues", WEDNESDAY, "2023-05-23", "day"),
    ("It happened last Sunday night", "last Sunday night", WEDNESDAY, "2023-05-21", "day"),
    ("It ends this Friday", "this Friday", WEDNESDAY, "2023-05-26", "day"),
    ("I'm going this Monday", "this Monday", WEDNESDAY, "2023-05-29", "day"),
    ("Next Friday works", "Next Friday", WEDNESDAY, "2023-06-02", "day"),
    ("I start this coming Monday", "this coming Monday", WEDNESDAY, "2023-05-29", "day"),
    ("I met them Friday of last week", "Friday of last week", WEDNESDAY, "2023-05-19", "day"),
    ("Next week on Tuesday I fly", "Next week on Tuesday", WEDNESDAY, "2023-05-30", "day"),
    ("He hiked last summer", "last summer", OCTOBER, "2023-06-01/2023-08-31", "season"),
    ("He hiked last summer", "last summer", SATURDAY, "2022-06-01/2022-08-31", "season"),
    ("A family outing this summer?", "this summer", OCTOBER, "2023-06-01/2023-08-31", "season"),
    ("It was last August", "last August", OCTOBER, "2023-08-01/2023-08-31", "month"),
    ("It was last May", "last May", WEDNESDAY, "2022-05-01/2022-05-31", "month"),
    ("We had snow last Christmas", "last Christmas", WEDNESDAY, "2022-12-25", "day"),
    ("The week before last I was ill", "The week before last", WEDNESDAY, "2023-05-08/2023-05-14", "week"),
    ("I did it the Tuesday before last", "the Tuesday before last", WEDNESDAY, "2023-05-16", "day"),
    ("We marry the weekend after next", "the weekend after next", WEDNESDAY, "2023-06-10/2023-06-11", "weekend"),
    ("I ran the Saturday before.", "the Saturday before", WEDNESDAY, "2023-05-20", "day"),
    # weekdays
    ("I saw him on Monday", "Monday", WEDNESDAY, "2023-05-22", "day"),
    ("I won my fourth tournament on Friday!", "Friday", SUNDAY, "2022-07-08", "day"),
    ("I'm seeing the doctor on Friday", "Friday", WEDNESDAY, "2023-05-26", "day"),
    ("I called, and I will start on Monday", "Monday", WEDNESDAY, "2023-05-29", "day"),
    ("My appointment is on Wednesday", "Wednesday", WEDNESDAY, "2023-05-31", "day"),
    ("The call got moved to Thursday", "Thursday", WEDNESDAY, "2023-05-25", "day"),
    ("I'm off until Monday", "until Monday", WEDNESDAY, "../2023-05-29", "span"),
    ("We meet on Thursday the 8th", "Thursday the 8th", WEDNESDAY, "2023-06-08", "day"),
    # across the turn of the year
    ("It snowed in December", "December", NEW_YEAR, "2023-12-01/2023-12-31", "month"),
    ("I left last month", "last month", NEW_YEAR, "2023-12-01/2023-12-31", "month"),
    ("I left three months ago", "three months ago", NEW_YEAR, "2023-10-01/2023-10-31", "month"),
    ("I left last week", "last week", NEW_YEAR, "2023-12-25/2023-12-31", "week"),
    # windows
    ("What did you do the other day?", "the other day", WEDNESDAY, "2023-05-17/2023-05-23", "approximate"),
    ("I recently bought shoes", "recently", WEDNESDAY, "2023-04-24/2023-05-24", "approximate"),
    ("It's been rough lately", "lately", WEDNESDAY, "2023-04-24/2023-05-24", "approximate"),
    ("I read a lot in the past week", "the past week", WEDNESDAY, "2023-05-17/2023-05-24", "span"),
    ("Over the last three weeks I ran", "the last three weeks", WEDNESDAY, "2023-05-03/2023-05-24", "span"),
    ("It changed the past few months", "the past few months", WEDNESDAY, "2022-12-24/2023-05-24", "approximate"),
    ("I'm away the next few days", "the next few days", WEDNESDAY, "2023-05-24/2023-05-29", "approximate"),
    # months, years, seasons, decades
    ("We moved in May", "May", WEDNESDAY, "2023-05-01/2023-05-31", "month"),
    ("We moved in June", "June", WEDNESDAY, "2022-06-01/2022-06-30", "month"),
    ("We will move in June", "June", WEDNESDAY, "2023-06-01/2023-06-30", "month"),
    ("We moved in may", "may", WEDNESDAY, "2023-05-01/2023-05-31", "month"),
    ("We moved in May 2022", "May 2022", None, "2022-05-01/2022-05-31", "month"),
    ("We moved in May of last year", "May of last year", WEDNESDAY, "2022-05-01/2022-05-31", "month"),
    ("It was back in 2016", "2016", None, "2016-01-01/2016-12-31", "year"),
    ("I graduated in '98", "'98", None, "1998-01-01/1998-12-31", "year"),
    ("It was summer 2021", "summer 2021", None, "2021-06-01/2021-08-31", "season"),
    ("In the winter of 2021 we skied", "winter of 2021", None, "2021-12-01/2022-02-28", "season"),
    ("We went to Spain in the summer.", "the summer", OCTOBER, "2023-06-01/2023-08-31", "season"),
    ("Any fun plans for the summer?", "the summer", WEDNESDAY, "2023-06-01/2023-08-31", "season"),
    ("Music of the 90s", "the 90s", None, "1990-01-01/1999-12-31", "decade"),
    ("In the late 1980s she sang", "the late 1980s", None, "1987-01-01/1989-12-31", "approximate"),
    ("I love the eighties", "the eighties", None, "1980-01-01/1989-12-31", "decade"),
    # parts
    ("It was early May", "early May", WEDNESDAY, "2023-05-01/2023-05-10", "approximate"),
    ("It was in mid-May 2022", "mid-May 2022", None, "2022-05-11/2022-05-20", "approximate"),
    ("It was late last year", "late last year", WEDNESDAY, "2022-09-01/2022-12-31", "approximate"),
    ("I'll pay at the end of the month", "the end of the month", WEDNESDAY, "2023-05-25/2023-05-31", "approximate"),
    ("At the beginning of 2022 I quit", "the beginning of 2022", None, "2022-01-01/2022-01-31", "approximate"),
    ("We moved earlier this year", "earlier this year", WEDNESDAY, "2023-01-01/2023-05-24", "approximate"),
    ("It is later this month", "later this month", WEDNESDAY, "2023-05-24/2023-05-31", "approximate"),
    ("The first week of May was hot", "The first week of May", WEDNESDAY, "2023-05-01/2023-05-07", "week"),
    ("It is the last Friday of this month", "the last Friday of this month", WEDNESDAY, "2023-05-26", "day"),
    ("In the first half of 2022", "the first half of 2022", None, "2022-01-01/2022-06-30", "span"),
    # dates
    ("It was on 2023-05-07.", "2023-05-07", None, "2023-05-07", "day"),
    ("It was on 7/5/2023", "7/5/2023", None, "2023-05-07", "day"),
    ("It was on 5/25/2023", "5/25/2023", None, "2023-05-25", "day"),
    ("I bought it on 2/14", "2/14", WEDNESDAY, "2023-02-14", "day"),
    ("It was on May 7th, 2023", "May 7th, 2023", None, "2023-05-07", "day"),
    ("It was on Sunday, 7 May 2023", "Sunday, 7 May 2023", None, "2023-05-07", "day"),
    ("I bought it on February 15th", "February 15th", WEDNESDAY, "2023-02-15", "day"),
    ("I bought it on the 3rd of June", "the 3rd of June", WEDNESDAY, "2022-06-03", "day"),
    ("The race is on June 3", "June 3", WEDNESDAY, "2023-06-03", "day"),
    ("My party is on Jan. 3", "Jan. 3", datetime(2023, 12, 20), "2024-01-03", "day"),
    ("I paid on the 7th.", "the 7th", WEDNESDAY, "2023-05-07", "day"),
    ("On 29 February we met", "29 February", WEDNESDAY, "2020-02-29", "day"),
    ("The week of May 15 I worked", "The week of May 15", WEDNESDAY, "2023-05-15/2023-05-21", "week"),
    # holidays
    ("We met on New Year's Eve", "New Year's Eve", WEDNESDAY, "2022-12-31", "day"),
    ("For Thanksgiving we will cook", "Thanksgiving", WEDNESDAY, "2023-11-23", "day"),
    ("We danced at Christmas 2020", "Christmas 2020", None, "2020-12-25", "day"),
    ("I got it on Valentine's Day", "Valentine's Day", WEDNESDAY, "2023-02-14", "day"),
    ("He proposed at Easter", "Easter", WEDNESDAY, "2023-04-09", "day"),
    ("We moved around Christmas", "around Christmas", WEDNESDAY, "2022-12-22/2022-12-28", "approximate"),
    # open ends and ranges
    ("I've lived here since March", "since March", WEDNESDAY, "2023-03-01/..", "span"),
    ("I've lived here since 2016", "since 2016", None, "2016-01-01/..", "span"),
    ("Nothing new since last Friday", "since last Friday", WEDNESDAY, "2023-05-19/..", "span"),
    ("I've known them for 4 years", "for 4 years", WEDNESDAY, "2019-05-24/..", "approximate"),
    ("We have been married for five years", "for five years", WEDNESDAY, "2018-05-24/..", "approximate"),
    ("Seven years now, and I paint", "Seven years now", WEDNESDAY, "2016-05-24/..", "approximate"),
    ("We've been together ten years", "ten years", WEDNESDAY, "2013-05-24/..", "approximate"),
    ("I haven't eaten meat in three years", "in three years", WEDNESDAY, "2020-05-24/..", "approximate"),
    ("From 2015 onwards I lived in Rome", "From 2015", None, "2015-01-01/..", "span"),
    ("I stay until June", "until June", WEDNESDAY, "../2023-06-30", "span"),
    ("I will be done by next month", "by next month", WEDNESDAY, "../2023-06-30", "span"),
    ("Send it before Friday please, you must", "before Friday", WEDNESDAY, "../2023-05-25", "span"),
    ("I worked there after 2016", "after 2016", None, "2017-01-01/..", "span"),
    ("I was ill from Monday to Friday", "from Monday to Friday", WEDNESDAY, "2023-05-15/2023-05-19", "span"),
    ("Between 2015 and 2018 I taught", "Between 2015 and 2018", None, "2015-01-01/2018-12-31", "span"),
    ("I taught 2015-2018", "2015-2018", None, "2015-01-01/2018-12-31", "span"),
    ("From May to July 2022 I slept", "From May to July 2022", None, "2022-05-01/2022-07-31", "span"),
    ("We met May 5-8, 2023", "May 5-8, 2023", None, "2023-05-05/2023-05-08", "span"),
    ("We are away June 28 to July 3", "June 28 to July 3", WEDNESDAY, "2023-06-28/2023-07-03", "span"),
    # counted from another expression
    ("It was the week before 9 June 2023", "the week before 9 June 2023", None, "2023-05-29/2023-06-04", "week"),
    ("The Friday before 15 July 2023", "The Friday before 15 July 2023", None, "2023-07-14", "day"),
    ("The day after last Halloween", "The day after last Halloween", WEDNESDAY, "2022-11-01", "day"),
    ("Around this time last year", "Around this time last year", WEDNESDAY, "2022-05-10/2022-06-07", "approximate"),
    # other languages
    ("Ayer fui al cine", "Ayer", WEDNESDAY, "2023-05-23", "day"),
    ("Estuve allí la semana pasada", "la semana pasada", WEDNESDAY, "2023-05-15/2023-05-21", "week"),
    ("Je suis arrivé hier", "hier", WEDNESDAY, "2023-05-23", "day"),
    ("L'année dernière à Rome", "L'année dernière", WEDNESDAY, "2022-01-01/2022-12-31", "year"),
    ("Gestern war ich müde", "Gestern", WEDNESDAY, "2023-05-23", "day"),
    ("Ich war letzte Woche krank", "letzte Woche", WEDNESDAY, "2023-05-15/2023-05-21", "week"),
    ("Ontem choveu", "Ontem", WEDNESDAY, "2023-05-23", "day"),
    ("Ci vediamo domani", "domani", WEDNESDAY, "2023-05-25", "day"),
    ("我昨天去了", "昨天", WEDNESDAY, "2023-05-23", "day"),
    ("我上周在巴黎", "上周", WEDNESDAY, "2023-05-15/2023-05-21", "week"),
    ("先週パリにいた", "先週", WEDNESDAY, "2023-05-15/2023-05-21", "week"),
    ("ذهبت أمس", "أمس", WEDNESDAY, "2023-05-23", "day"),
    ("它发生在2023年5月7日", "2023年5月7日", None, "2023-05-07", "day"),
    ("el 7 de mayo de 2023", "7 de mayo de 2023", None, "2023-05-07", "day"),
]


@pytest.mark.parametrize(
    ("sentence", "words", "said_at", "iso", "precision"), ROWS, ids=[r[1] + "|" + r[0] for r in ROWS]
)
def test_words_mean_days(sentence: str, words: str, said_at: datetime | None, iso: str, precision: str) -> None:
    found = find_times(sentence, said_at)
    assert [m.text for m in found] == [words]
    assert found[0].span is not None
    assert (found[0].span.iso(), found[0].span.precision) == (iso, Precision(precision))
    assert found[0].relative == (said_at is not None)


TRAPS = [
    "She is 3 years old",
    "My 5-year-old daughter paints",
    "I lived there for 3 years",
    "It took two weeks",
    "I read it in two days",
    "I lost five pounds in two weeks, then I stopped",
    "You may go",
    "This may be wrong",
    "They march to the sea",
    "June told me a secret",
    "The second one is mine",
    "We sat in the sun",
    "The leaves fall down",
    "I broke my wrist in the fall",
    "The last book I read",
    "My last chance",
    "The first time",
    "How did the last game go?",
    "It was in my last year of college",
    "Batteries will last two days",
    "Every Friday I run",
    "I run on Fridays",
    "Friday nights are for movies",
    "Open Monday to Friday",
    "I go to Sunday school",
    "I usually swim on Monday",
    "Black Friday deals",
    "He is in his 30s",
    "A high in the 80s, 85 degrees",
    "It's on the 7th floor",
    "I did 2000 steps in 2000 seconds",
    "It cost $2020",
    "Decide on 3-4 meals per day",
    "We are available 24/7",
    "I have a Christmas tree",
    "I love Halloween",
    "During Thanksgiving, we usually watch movies",
    "See you next time",
    "Soon after, we left",
    "I left the day before the race",
    "twice a week",
    "Wake up 30 minutes earlier",
    "He has been 3 years old",
    "We had been married 5 years",
    "the Sunday paper",
    "31 February 2023 is no day",
    "2023-02-30",
    "It was 90000 years ago",
    "Ich bin hier",
    "Guten Morgen!",
    "Monday: easy run",
    "The next day we left",
    "talk to you later",
    "",
]


@pytest.mark.parametrize("sentence", TRAPS)
def test_what_only_looks_like_a_time_is_none(sentence: str) -> None:
    assert find_times(sentence, WEDNESDAY) == []


def test_several_times_stand_in_order() -> None:
    found = find_times("I left on 7 May 2023, came back two days later, and flew last week.", WEDNESDAY)
    assert [(m.text, m.span.iso() if m.span else None) for m in found] == [
        ("7 May 2023", "2023-05-07"),
        ("two days later", "2023-05-09"),
        ("last week", "2023-05-15/2023-05-21"),
    ]
    assert [m.relative for m in found] == [False, False, True]


def test_the_week_before_counts_from_the_week_named_earlier() -> None:
    found = find_times("I was ill last week and the week before", WEDNESDAY)
    assert [m.span.iso() if m.span else None for m in found] == ["2023-05-15/2023-05-21", "2023-05-08/2023-05-14"]


@pytest.mark.parametrize(
    ("sentence", "words"),
    [
        ("Yesterday I quit", "Yesterday"),
        ("I was there last week", "last week"),
        ("I quit on Monday", "Monday"),
        ("We moved in May", "May"),
        ("I've known them for 4 years", "for 4 years"),
        ("I've been here since last year", "since last year"),
        ("In two weeks I will leave", "In two weeks"),
        ("我昨天去了", "昨天"),
    ],
)
def test_without_a_moment_the_word_is_kept_and_means_no_day(sentence: str, words: str) -> None:
    (mention,) = find_times(sentence, None)
    assert (mention.text, mention.span, mention.relative) == (words, None, True)


def test_two_days_of_a_change_are_no_range() -> None:
    assert [m.text for m in find_times("It got moved from Tuesday to Friday", WEDNESDAY)] == ["Tuesday", "Friday"]


def test_relative_words_count_in_the_zone_of_the_message() -> None:
    tokyo = timezone(timedelta(hours=9))
    said = datetime(2023, 5, 8, 1, 0, tzinfo=tokyo)  # still 7 May in UTC
    (mention,) = find_times("I quit yesterday", said)
    assert mention.span == TimeSpan(date(2023, 5, 7), date(2023, 5, 7), Precision.DAY)


_WORDS = (
    "last next this the of two in a few weeks week ago since until May 7 7th 2023 monday friday to from between and "
    "early mid christmas summer before after 1/2/2023 yesterday for years been have now don’t İstanbul 昨天 \ud800 '98 "
    "90s earlier later , . \n 99999 0 early- first half end weekend recently other day"
)
_TIME_WORDS = st.sampled_from(_WORDS.split(" "))


@settings(max_examples=300, deadline=None)
@given(
    st.one_of(st.text(max_size=80), st.lists(_TIME_WORDS, max_size=14).map(" ".join)),
    st.one_of(
        st.none(),
        st.datetimes(min_value=datetime(1950, 1, 1), max_value=datetime(2100, 1, 1)),
        st.sampled_from([datetime.min, datetime.max, datetime(2024, 2, 29)]),
    ),
)
def test_any_text_gives_verbatim_disjoint_mentions(text: str, said_at: datetime | None) -> None:
    found = find_times(text, said_at)
    assert all(text[m.start : m.end] == m.text and m.text for m in found)
    assert all(a.end <= b.start for a, b in pairwise(found))
    assert all((m.span is None) == (said_at is None and m.relative) for m in found)
    assert all(span_words(m.span) for m in found if m.span)
    assert [(n.text, d) for n in find_numbers(text) if (d := text[n.start : n.end]) != n.text] == []
    assert all(text[d.start : d.end] == d.text for d in find_durations(text))


@pytest.mark.parametrize(
    "unit", ["last week ", "May 7 ", "in two weeks ", "from monday to friday ", "one hundred and ", " \t\n"]
)
def test_long_lines_take_linear_time(unit: str) -> None:
    text = unit * (30_000 // len(unit))
    began = time.perf_counter()
    find_times(text, WEDNESDAY)
    find_numbers(text)
    find_durations(text)
    assert time.perf_counter() - began < 5


def _span(start: str | None, end: str | None, precision: Precision) -> TimeSpan:
    return TimeSpan(start and date.fromisoformat(start), end and date.fromisoformat(end), precision)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("start", "end", "precision", "words"),
    [
        ("2023-05-07", "2023-05-07", "day", "7 May 2023"),
        ("2023-05-20", "2023-05-21", "weekend", "the weekend of 20-21 May 2023"),
        ("2023-05-15", "2023-05-21", "week", "the week of 15-21 May 2023"),
        ("2023-05-29", "2023-06-04", "week", "the week of 29 May - 4 June 2023"),
        ("2023-05-01", "2023-05-31", "month", "May 2023"),
        ("2022-06-01", "2022-08-31", "season", "summer 2022"),
        ("2022-12-01", "2023-02-28", "season", "winter 2022-2023"),
        ("2022-01-01", "2022-12-31", "year", "2022"),
        ("1990-01-01", "1999-12-31", "decade", "the 1990s"),
        ("2016-03-01", None, "span", "since March 2016"),
        ("2016-01-01", None, "span", "since 2016"),
        ("2016-03-05", None, "span", "since 5 March 2016"),
        (None, "2023-06-30", "span", "until June 2023"),
        (None, "2023-06-24", "span", "until 24 June 2023"),
        ("2022-05-01", "2022-07-31", "span", "from May to July 2022"),
        ("2015-01-01", "2018-12-31", "span", "from 2015 to 2018"),
        ("2023-05-05", "2023-05-08", "span", "from 5 to 8 May 2023"),
        ("2023-05-01", "2023-05-10", "approximate", "around early May 2023"),
        ("2023-05-11", "2023-05-20", "approximate", "around mid-May 2023"),
        ("2018-01-01", "2021-12-31", "approximate", "around 2018-2021"),
        ("2023-02-01", "2023-03-31", "approximate", "around February-March 2023"),
        ("2023-04-17", "2023-05-14", "approximate", "around 17 April - 14 May 2023"),
        ("2019-05-24", None, "approximate", "since around May 2019"),
        (None, "2022-05-24", "approximate", "sometime before May 2022"),
        ("2023-05-03", "2023-05-20", "month", "from 3 to 20 May 2023"),
    ],
)
def test_a_span_is_said_in_english(start: str | None, end: str | None, precision: str, words: str) -> None:
    assert span_words(_span(start, end, Precision(precision))) == words


@given(st.dates(), st.dates(), st.sampled_from(Precision), st.sampled_from(["both", "start", "end"]))
def test_every_span_has_words(first: date, second: date, precision: Precision, ends: str) -> None:
    start, end = sorted((first, second))
    assert span_words(TimeSpan(start if ends != "end" else None, end if ends != "start" else None, precision))


@pytest.mark.parametrize(
    ("words", "number"),
    [
        ("35", 35), ("three dozen", 36), ("twice", 2), ("once", 1), ("a couple", 2), ("half a dozen", 6),
        ("1,200", 1200), ("2.5", 2.5), ("twenty-five", 25), ("two hundred and five", 205), ("a thousand", 1000),
        ("3 million", 3_000_000), ("five thousand two hundred", 5200), ("zero", 0), ("Twelve", 12),
        ("few", None), ("a", None), ("two three", None), ("dozens", None), ("second", None), ("", None),
    ],
)  # fmt: skip
def test_number_words(words: str, number: float | None) -> None:
    assert parse_number(words) == number


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("I have three dogs and 12 cats", [3, 12]),
        ("I bought three dozen eggs, twice", [36, 2]),
        ("two hundred and five people", [205]),
        ("This one is mine. One of them ran. No one came.", []),
        ("one dog", [1]),
        ("a 5K at 7:30 for $20, 50% off, B12, 3/4, the 3rd", []),
    ],
)
def test_numbers_that_count(text: str, numbers: list[float]) -> None:
    assert [n.value for n in find_numbers(text)] == numbers


@pytest.mark.parametrize(
    ("text", "durations"),
    [
        ("I lived there for three years", [("three years", 3, "year")]),
        ("5 years already!", [("5 years", 5, "year")]),
        ("a two-week trip", [("two-week", 2, "week")]),
        ("it was two weeks long", [("two weeks", 2, "week")]),
        ("a year and a half", [("a year and a half", 1.5, "year")]),
        ("half an hour", [("half an hour", 0.5, "hour")]),
        ("it took a week", [("a week", 1, "week")]),
        ("15-30 minutes", [("15-30 minutes", None, "minute")]),
        ("for a few months", [("a few months", None, "month")]),
        ("She is 3 years old", []),
        ("three years ago", []),
        ("two days later", []),
        ("twice a week", []),
        ("one day I will", []),
        ("a 5-year-old", []),
    ],
)
def test_durations(text: str, durations: list[tuple[str, float | None, str]]) -> None:
    assert [(d.text, d.number, d.unit) for d in find_durations(text)] == durations
