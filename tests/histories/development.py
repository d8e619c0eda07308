"""The half of the histories for developing the rules; tests/test_changed_facts.py explains the notation."""

DEVELOPMENT = """
== moved 1
2023-03-04
1 Nora: Morning! I live in Bremen, five minutes from the river, so I run there before work.
2 Theo: Jealous. I live in Kassel and there's nothing but traffic.
2023-06-10
3 Nora: Big news, I moved to Hamburg last week. Boxes everywhere.
now 3: Hamburg from 2023-05-29
now 2: Kassel
gone 1: Bremen by 3 until 2023-05-29

== moved 2
2022-01-10
1 Ravi: We're based in Leeds at the moment, my wife teaches at a primary school here.
2 Jo: Oh nice, how long have you been there?
2022-09-02
3 Ravi: We finally left Leeds. I live in Bristol now and the sea air is doing me good.
4 Jo: Good for you!
now 3: Bristol
gone 1: Leeds by 3 until 2022-09-02
now 1: teaches

== moved 3
2024-02-01
1 user: I live in Porto but my parents live in Braga.
2 assistant: Thanks for telling me.
2024-07-20
3 user: I've relocated to Lisbon for the new contract.
4 assistant: Congratulations on the move.
now 3: Lisbon
now 1: parents+Braga
gone 1: user lives in Porto by 3

== moved 4
2023-05-02
1 Iris: My sister lives in Ghent, she has a tiny flat over a bakery.
2 Sam: That sounds like a dream. I live in Antwerp.
2023-11-12
3 Iris: My sister moved to Brussels in October, so no more free croissants for me.
now 3: Brussels from 2023-10
gone 1: sister lives in Ghent by 3 until 2023-10
now 2: Antwerp

== moved 5
2023-01-15
1 Lena: I'm living in Graz, still the same attic room.
2 Mo: Ha, that attic.
2023-01-29
3 Lena: I'm visiting Vienna this week, it's freezing.
4 Mo: Bring me cake.
2023-04-03
5 Lena: So it happened, I've moved to Vienna for good.
now 5: Vienna
gone 1: Graz by 5 until 2023-04-03
now 3: Vienna

== job 1
2023-02-01
1 Tom: I work at a garden centre on the ring road, mostly carrying compost.
2 Ana: Strong arms then. I work at Siemens.
2023-08-16
3 Tom: I started at the botanical garden on Monday! Real plants, labelled and everything.
now 3: botanical garden from 2023-08-14
gone 1: garden centre by 3
now 2: Siemens

== job 2
2022-03-03
1 Kim: I'm a nurse at St. Mary's, night shifts mostly.
2 Bo: That must be hard on your sleep.
2022-12-01
3 Kim: I quit nursing in the autumn. I work as a medical writer now, from my kitchen table.
now 3: medical writer
gone 1: nurse by 3

== job 3
2024-01-08
1 user: I work at Zalando as a data analyst.
2 assistant: Got it.
2024-05-02
3 user: I got a new job at N26, starting in June.
4 assistant: Congratulations!
now 3: N26
gone 1: Zalando by 3

== job 4
2023-04-04
1 Elif: My husband works at the airport, loading bags.
2 Pia: And you?
3 Elif: I work at the city library.
4 Pia: Quiet, I like it.
2023-10-05
5 Elif: My husband got laid off, he no longer works at the airport.
now 5: airport
gone 1: airport by 5 until 2023-10-05
now 3: library

== job 5
2023-03-01
1 Jonas: I work for Bosch.
2 Mia: Still the washing machines?
2023-06-06
3 Jonas: I left Bosch in May.
4 Mia: Finally!
2023-09-09
5 Jonas: I'm working at Miele now. Yes, washing machines again.
now 5: Miele
gone 1: works for Bosch by 3

== relationship 1
2023-02-14
1 Dana: I'm dating Felix, the guy from the climbing gym.
2 Ruth: Ooh. I'm married to Paul, so I live through you.
2023-07-01
3 Dana: Felix and I broke up last weekend. I'm fine, mostly.
now 3: broke up
gone 1: dating Felix by 3
now 2: Paul

== relationship 2
2022-05-05
1 Gus: I'm single and honestly quite happy with it.
2 Bea: Good.
2022-10-10
3 Gus: Plot twist: I'm dating Clara now.
4 Bea: Tell me everything!
now 3: Clara
gone 1: single by 3

== relationship 3
2023-01-01
1 Olga: I'm engaged to Viktor since Christmas.
2 Ines: Congratulations!!
2023-08-20
3 Olga: We got married on Saturday, in the rain. Viktor cried.
now 3: married
gone 1: engaged by 3

== relationship 4
2023-04-01
1 Noor: My brother is married to Lily.
2 Ed: And you?
3 Noor: I'm single.
4 Ed: Me too, I'm single since May.
2023-12-01
5 Noor: My brother and Lily got divorced, it was a bad autumn.
now 5: divorced
now 3: single
gone 1: married by 5

== corrected 1
2023-05-05
1 Ana: My new neighbour is called Marta.
2 Ben: Nice to have someone friendly next door.
3 Ana: Sorry, I got it wrong, my neighbour is called Marsha, not Marta.
now 3: Marsha
gone 1: Marta by 3 never

== corrected 2
2023-06-01
1 user: The meeting with the landlord is on Tuesday.
2 assistant: Noted.
3 user: Wait, not Tuesday but Thursday.
now 3: Thursday
gone 1: Tuesday by 3 never

== corrected 3
2024-03-03
1 Pavel: I ran 12 kilometres this morning.
2 Zoe: Wow. I swam 2 kilometres.
3 Pavel: Correction: I ran 10 kilometres, not 12.
now 3: 10
now 2: swam
gone 1: 12 by 3 never

== corrected 4
2023-09-10
1 Lia: We're flying to Malta on the 20th of October.
2 Max: Lucky you.
3 Lia: Actually it's Madeira, I always mix those two up. We're flying to Madeira, not Malta.
now 3: Madeira
gone 1: Malta by 3 never

== corrected 5
2023-02-02
1 Joe: My daughter is 7 years old.
2 Amy: They grow so fast.
3 Joe: Oh no, actually she's 8, her birthday was last week! My daughter is 8.
now 3: 8
gone 1: 7 by 3

== corrected 6
2023-10-01
1 Sol: I meant to tell you, my flight is at 6 pm.
2 Kai: OK, I'll pick you up.
3 Sol: Hm, my flight is at 8 pm, I misread the ticket.
now 3: 8 pm
gone 1: 6 pm by 3

== done 1
2023-03-10
1 Vera: I'm going to adopt a greyhound next month.
2 Leo: Finally a dog!
2023-04-22
3 Vera: I adopted a greyhound yesterday, she sleeps like a stone.
now 3: adopted a greyhound on 2023-04-21
gone 1: going to adopt by 3

== done 2
2023-01-05
1 Finn: I'm planning to run the Rotterdam marathon this spring.
2 Gil: You? Ha. I plan to watch telly.
2023-04-17
3 Finn: I ran the Rotterdam marathon yesterday! 4:31, I can't feel my legs.
now 3: ran the Rotterdam marathon on 2023-04-16
gone 1: planning by 3
now 2: telly

== done 3
2022-06-06
1 user: I want to paint the hallway dark green.
2 assistant: A bold choice.
2022-07-03
3 user: I painted the hallway dark green last weekend and I love it.
now 3: painted the hallway
gone 1: wants to paint by 3

== done 4
2023-08-01
1 Edda: We're thinking of buying a caravan.
2 Ulf: Which one?
2023-09-15
3 Edda: We bought a caravan! Small, old, perfect.
now 3: bought a caravan
gone 1: thinking by 3

== dropped 1
2023-04-02
1 Mara: We're going to buy the blue van from Piet.
2 Juno: The one with the dent?
2023-04-30
3 Mara: We're not buying the van after all, the engine is gone.
now 3: van
gone 1: buy the blue van by 3

== dropped 2
2023-02-02
1 Hugo: I'm planning a trip to Iceland in August.
2 Wim: Take me with you.
2023-05-20
3 Hugo: I cancelled the trip to Iceland, too expensive.
now 3: cancelled
gone 1: planning a trip by 3

== dropped 3
2024-01-01
1 user: I'm going to learn Finnish this year.
2 assistant: A great goal.
2024-03-15
3 user: I gave up on Finnish, no time.
now 3: Finnish
gone 1: learn Finnish by 3

== dropped 4
2023-09-01
1 Cleo: My brother is planning to open a noodle bar in Lyon.
2 Axel: Risky.
2023-11-11
3 Cleo: The noodle bar isn't happening. My brother dropped the idea.
4 Axel: Maybe for the best.
gone 1: noodle bar by 3

== dropped 5
2023-06-15
1 Tess: I was going to sign up for the pottery course, the one on Wednesdays.
2 Rolf: Do it!
3 Tess: And I'm planning to see my aunt in Lucca in July.
4 Rolf: Say hi.
2023-06-29
5 Tess: I decided against the pottery course.
now 5: pottery
now 3: Lucca
gone 1: pottery by 5

== postponed 1
2023-03-03
1 Ida: Our wedding is on 10 June, save the date!
2 Nik: Saved.
2023-05-01
3 Ida: We had to move the wedding to 2 September.
now 3: 2 September
gone 1: 10 June by 3

== postponed 2
2023-01-20
1 Otto: I'm having my knee surgery in February.
2 Liv: Get well soon.
2023-02-05
3 Otto: They postponed my knee surgery to April.
now 3: April
gone 1: February by 3

== postponed 3
2024-04-04
1 user: I'm going to visit my grandmother in Split on Friday.
2 assistant: Have a good trip.
3 user: I also have a dentist appointment on Monday.
4 assistant: Noted.
2024-04-05
5 user: Change of plan, I'm going to visit my grandmother in Split next weekend.
now 5: Split
now 3: dentist
gone 1: Split by 5

== postponed 4
2023-07-07
1 Ada: The choir concert is on Saturday the 15th.
2 Per: I'll be there.
2023-07-12
3 Ada: The choir concert was moved from Saturday to Sunday because of the heat.
now 3: Sunday
gone 1: Saturday by 3

== preference 1
2022-04-04
1 Hal: I hate olives, always have.
2 Uma: More for me.
2023-06-06
3 Hal: Okay I admit it, I love olives now. Greece did that.
now 3: loves olives
gone 1: hates olives by 3

== preference 2
2023-01-11
1 Mina: My favourite band is Low.
2 Jan: Mine is Wilco. My favourite drink is black tea.
2023-10-02
3 Mina: My favourite band is Big Thief these days.
now 3: Big Thief
now 2: tea
gone 1: Low by 3

== preference 3
2023-03-03
1 user: I really like running in the morning.
2 assistant: A good habit.
2023-09-09
3 user: I don't like running anymore, my knees hurt. I still like swimming.
now 3: swimming
gone 1: running by 3

== preference 4
2023-02-02
1 Rhea: I can't stand techno.
2 Ivo: What about jazz?
3 Rhea: I love jazz.
4 Ivo: I love techno.
2023-12-30
5 Rhea: I'm really into techno now, you converted me.
now 5: techno
now 3: jazz
now 4: techno
gone 1: techno by 5

== again 1
2022-01-01
1 Bea: I'm vegetarian.
2 Kurt: Since when?
2022-08-08
3 Bea: I eat meat again, doctor's orders.
4 Kurt: Steak on me.
2023-02-02
5 Bea: I'm vegetarian again, it went back to normal.
now 5: vegetarian
gone 3: meat by 5
free 1: vegetarian

== again 2
2022-03-03
1 Emil: I live in Turku.
2 Saga: Cold!
2022-10-01
3 Emil: I moved to Tampere for a project.
4 Saga: Even colder.
2023-06-01
5 Emil: I moved back to Turku, the project is over.
now 5: Turku
gone 3: Tampere by 5
free 1: Turku

== again 3
2023-01-01
1 user: I smoke about ten cigarettes a day.
2 assistant: Thanks for being open.
2023-03-01
3 user: I stopped smoking on the first of February.
4 assistant: Well done.
now 3: smoking
gone 1: smoke by 3

== again 4
2023-04-01
1 Yan: I play chess every Tuesday at the club.
2 Fay: Who wins?
2023-07-01
3 Yan: I don't play chess anymore, the club closed.
4 Fay: Sad.
2023-11-01
5 Yan: I play chess again, a new club opened.
now 5: chess
gone 3: chess by 5
free 1: chess

== hearsay 1
2023-05-01
1 Gina: I heard that Marco is moving to Oslo, no idea if it's true.
2 Lutz: Big if true.
2023-05-20
3 Gina: Marco is moving to Oslo, he told me himself yesterday.
now 3: Marco+Oslo
settled 1: Oslo by 3

== hearsay 2
2023-02-10
1 Dov: Apparently my boss is pregnant.
2 Mel: Really?
2023-03-10
3 Dov: My boss is pregnant, she announced it at lunch.
now 3: pregnant
settled 1: pregnant by 3

== hearsay 3
2024-01-15
1 user: I think my landlord might sell the house.
2 assistant: That would be stressful.
2024-02-20
3 user: I bought new curtains for the bedroom.
doubt 1: house
now 3: curtains

== hearsay 4
2023-08-08
1 Tia: Maybe my cousin Jens works at Volvo, I'm not sure.
2 Roy: I could ask.
2023-08-15
3 Tia: My cousin Jens works at Scania, not Volvo.
now 3: Scania
gone 1: Volvo by 3

== two people 1
2023-03-03
1 Eva: I live in Madrid.
2 Lou: I live in Madrid too, funny!
2023-09-09
3 Eva: I moved to Seville in August.
now 3: Seville from 2023-08
now 2: Madrid
gone 1: Madrid by 3 until 2023-08

== two people 2
2023-01-01
1 Ida: I work at IKEA.
2 Stan: I work at IKEA as well, in the kitchen section.
2023-05-05
3 Stan: I no longer work at IKEA.
now 1: IKEA
gone 2: IKEA by 3

== two people 3
2023-06-06
1 Ken: My son is called Leo.
2 Vic: No way, my son is called Leo too!
2023-06-07
3 Ken: My son plays the cello.
4 Vic: My son gave up the cello.
now 1: Leo
now 2: Leo
now 3: cello

== two people 4
2023-04-04
1 Amir: My sister is a vegetarian, I love meat.
2 Cat: I'm a vegetarian.
2023-10-10
3 Amir: My sister eats meat again.
now 2: vegetarian
now 3: meat
gone 1: sister by 3

== grows 1
2023-02-02
1 Mat: I have three chickens.
2 Ola: Eggs for everyone.
2023-06-06
3 Mat: I have seven chickens now, it got out of hand.
now 3: seven
gone 1: three by 3

== grows 2
2023-01-10
1 user: I've saved 2,000 euros for the bike.
2 assistant: Nice progress.
2023-04-10
3 user: I've saved 3,500 euros for the bike so far.
now 3: 3,500
gone 1: 2,000 by 3

== grows 3
2023-03-01
1 Rosa: I've read 12 books this year.
2 Bill: I've read 2.
2023-08-01
3 Rosa: I've read 30 books this year already.
now 3: 30
now 2: 2
gone 1: 12 by 3

== grows 4
2022-02-02
1 Udo: We have one kid.
2 Tea: Sleep while you can.
2023-05-05
3 Udo: We have two kids now, Emma arrived in April.
now 3: two kids
gone 1: one kid by 3

== list 1
2023-01-01
1 Wes: I play guitar, banjo and drums.
2 Ola: A one-man band.
2023-09-01
3 Wes: I don't play the drums anymore, the neighbours won.
now 1: plays guitar
now 1: plays banjo
now 3: drums
gone 1: drums by 3

== list 2
2023-02-02
1 user: I'm allergic to peanuts and shellfish.
2 assistant: I'll remember that.
2023-07-07
3 user: I'm also allergic to bees, found out the hard way.
4 assistant: Ouch.
2023-11-11
5 user: The test says I'm not allergic to shellfish.
now 1: allergic to peanuts
now 3: bees
gone 1: shellfish by 5

== list 3
2023-03-03
1 Gwen: I speak Dutch and German.
2 Omar: I speak Arabic.
2023-10-10
3 Gwen: I speak Italian now too, after a year of evening classes.
now 1: Dutch
now 1: German
now 3: Italian
now 2: Arabic

== list 4
2023-05-05
1 Art: I have a dog and a parrot.
2 Bo: Does the parrot talk?
2023-08-08
3 Art: We got a cat on Sunday.
4 Bo: Poor parrot.
2023-12-12
5 Art: We had to give the parrot away.
now 1: dog
now 3: cat on 2023-08-06
now 5: parrot
gone 1: parrot by 5

== between 1
2023-02-01
1 Ella: I live in Utrecht and I work at Philips.
2 Gert: I live in Delft.
2023-03-01
3 Ella: My brother lives in Utrecht as well. I bought a red bike.
4 Gert: I visited Utrecht on Sunday.
2023-05-01
5 Ella: I moved to Nijmegen.
now 5: Nijmegen
now 1: Philips
now 3: brother lives in Utrecht
now 3: bike
now 4: Utrecht
now 2: Delft
gone 1: Ella lives in Utrecht by 5

== between 2
2023-01-01
1 user: My car is a Golf and my bike is a Gazelle.
2 assistant: Noted.
3 user: My cat is called Pixel. My favourite food is ramen.
4 assistant: Cute name.
2023-06-01
5 user: My favourite food is dal now. My dog is called Byte.
now 1: Golf
now 3: Pixel
now 5: dal
now 5: Byte
gone 3: ramen by 5

== between 3
2023-04-04
1 Ines: I'm going to visit Rome in June.
2 Ole: I'm going to visit Rome too, in May.
3 Ines: I want to buy a tent before the festival.
4 Ole: I have two tents.
2023-07-07
5 Ines: I visited Rome in June, so hot.
now 5: visited Rome
now 3: tent
now 4: two tents
now 2: Rome
gone 1: Rome by 5
"""
