"""Remember a conversation, ask about it, and see why the answer is what it is. Run it twice: nothing doubles."""

from datetime import UTC, datetime

from trajwiki import Memory, NewMessage

CONVERSATION = [
    NewMessage("Alice", "I live in Porto and work at a bakery.", datetime(2024, 1, 8, 9, 0, tzinfo=UTC), "one", "1:1"),
    NewMessage("Sam", "Lovely! How are the mornings?", datetime(2024, 1, 8, 9, 5, tzinfo=UTC), "one", "1:2"),
    NewMessage(
        "Alice", "Early. Yesterday I went surfing with my sister.", datetime(2024, 1, 8, 9, 7, tzinfo=UTC), "one", "1:3"
    ),
    NewMessage("Sam", "In January? Brave.", datetime(2024, 1, 8, 9, 9, tzinfo=UTC), "one", "1:4"),
    NewMessage(
        "Alice",
        "Big news: I moved to Lisbon last week, I live in Lisbon now.",
        datetime(2024, 6, 3, 18, 0, tzinfo=UTC),
        "two",
        "2:1",
    ),
    NewMessage("Sam", "Wow, congratulations!", datetime(2024, 6, 3, 18, 2, tzinfo=UTC), "two", "2:2"),
]

with Memory.open() as memory:  # the setting TRAJWIKI_DB, else a file in your data folder
    alice = memory.space("alice")
    alice.add(CONVERSATION)
    alice.flush()

    for question in (
        "Where does Alice live now?",
        "Where did Alice live before?",
        "When did Alice go surfing?",
        "What is the name of Alice's sister?",
    ):
        answer = alice.ask(question)
        print(question, "->", answer.text if answer.answered else f"no answer: {answer.abstain_reason}")
        for fact in answer.facts:
            print(f"    [{fact.source_ref}] “{fact.quote}”")

    print(alice.recall("Where does Alice live?", budget=60).context)
