"""Histories written after the others, to see how far the rules carry; notation as in test_changed_facts.py."""

LATER = """
== later 1
2023-01-09
1 Yuki: I'm renting a room in Osaka, the walls are paper thin.
2 Max: Try earplugs. I rent in Kobe.
2023-09-09
3 Yuki: I gave up the room in Osaka. I live in Nara with my cousin now.
now 3: Nara
now 2: Kobe
gone 1: Osaka by 3
== later 2
2023-03-09
1 user: My daughter lives in Toronto and my son lives in Montreal.
2 assistant: ok
2023-07-09
3 user: My son has relocated to Vancouver.
now 1: Toronto
now 3: Vancouver
gone 1: Montreal by 3
== later 3
2023-02-09
1 Edo: I work in a bank.
2 Pim: Rich!
2023-08-09
3 Edo: I left the bank. I work as a ranger in the national park now.
now 3: ranger
gone 1: bank by 3
== later 4
2023-02-19
1 Orla: I'm the manager of the night shift at Tesco.
2 Jack: Sleepy.
2023-06-19
3 Orla: I've handed in my notice at Tesco. I start at Boots in July.
now 3: Boots
== later 5
2023-04-19
1 Cai: My mother works as a cook at the hospital.
2 Deb: Mine too!
2023-10-19
3 Cai: My mother retired, she no longer works at the hospital.
now 3: hospital
gone 1: cook by 3
== later 6
2023-04-14
1 Mira: I've been seeing someone called Anton for two months.
2 Lo: Finally!
2023-09-14
3 Mira: It's over with Anton. I'm single.
now 3: single
gone 1: Anton by 3
== later 7
2023-01-01
1 Gil: My parents are separated.
2 Ro: Sorry.
2023-05-01
3 Gil: My parents got back together! They're married again in every sense.
now 3: together
== later 8
2023-03-23
1 Bo: My train arrives at 17:40.
2 Li: See you there.
3 Bo: Sorry, typo, my train arrives at 18:40.
now 3: 18:40
gone 1: 17:40 by 3
== later 9
2023-03-24
1 Ana: My new colleague is from Chile.
2 Ed: Oh cool.
3 Ana: I said Chile but my new colleague is from Peru, not Chile.
now 3: Peru
gone 1: Chile by 3
== later 10
2023-03-25
1 user: I was born in 1984 in Turin.
2 assistant: ok
3 user: Correction, I was born in 1985.
now 3: 1985
gone 1: 1984 by 3
== later 11
2023-04-01
1 Kay: I'm hoping to see the northern lights in Tromso this winter.
2 Al: Bring socks.
2023-12-28
3 Kay: I saw the northern lights in Tromso last night! Green everywhere.
now 3: northern lights on 2023-12-27
gone 1: hoping by 3
== later 12
2023-05-11
1 Ria: I'll repaint my bike next weekend.
2 Ox: Which colour?
2023-05-22
3 Ria: I repainted my bike, it's mint green.
now 3: repainted
gone 1: repaint my bike or repaint their bike by 3
== later 13
2023-05-12
1 Ned: I'm thinking of quitting my job and opening a hostel.
2 Su: Wild.
2023-08-12
3 Ned: I scrapped the hostel idea.
now 3: hostel
gone 1: hostel by 3
== later 14
2023-05-13
1 user: We were planning to get a second dog.
2 assistant: ok
2023-09-13
3 user: We decided not to get a second dog.
now 3: dog
gone 1: planning by 3
== later 15
2023-06-13
1 Jo: My driving test is on 4 July.
2 Em: Fingers crossed.
2023-06-30
3 Jo: My driving test has been rescheduled to 18 July.
now 3: 18 July
gone 1: 4 July by 3
== later 16
2023-06-14
1 Ty: We're going to visit the castle on Sunday.
2 Em: Fun.
2023-06-16
3 Ty: We're going to visit the castle on the 25th instead.
now 3: castle
gone 1: castle by 3
== later 17
2023-07-14
1 Ash: I'm a big fan of country music.
2 Em: Really?
2023-11-14
3 Ash: I'm not a fan of country music anymore.
now 3: country
gone 1: country by 3
== later 18
2023-07-15
1 Lou: My favourite season is winter.
2 Em: Mine is summer.
2024-07-15
3 Lou: Summer is my favourite season now.
now 3: favourite
gone 1: winter by 3
== later 19
2022-07-15
1 Val: I'm vegan.
2 Em: ok
2022-12-15
3 Val: I'm not vegan anymore.
4 Em: ok
2023-07-15
5 Val: I'm vegan again.
now 5: vegan
gone 3: not vegan by 5
free 1: vegan
== later 20
2023-07-16
1 Mo: They say our school is getting a new pool.
2 Em: ok
2023-09-16
3 Mo: Our school is getting a new pool, the mayor said it on the news.
now 3: pool
settled 1: pool by 3
== later 21
2023-07-17
1 Su: I drive a van.
2 Em: I drive a van too.
2023-10-17
3 Em: I sold the van and I ride a scooter now.
now 1: van
now 3: scooter
gone 2: van by 3
== later 22
2023-07-18
1 Di: I have 40 students in my class.
2 Em: I have 12 students.
2023-10-18
3 Di: I have 43 students in my class now.
now 2: 12
now 3: 43
gone 1: 40 by 3
== later 23
2023-07-19
1 Pa: I collect stamps and coins.
2 Em: ok
2023-10-19
3 Pa: I don't collect stamps anymore.
now 1: collects coins
now 3: stamps
gone 1: stamps by 3
== later 24
2023-07-20
1 Zo: I have a cat. I work at a museum. I hate rain.
2 Em: I have a cat.
2023-08-20
3 Zo: I visited a museum in Rome. I saw a cat. It rained.
now 1: cat
now 1: museum
now 1: rain
now 2: cat
now 3: Rome
== later 25
2023-01-03
1 Kira: I'm staying in Tallinn this year for the exchange, my home is in Riga.
2 Jan: Nice.
2023-07-03
3 Kira: Exchange is over, I've moved back to Riga.
now 3: Riga
== later 26
2023-02-03
1 Bill: I live on a houseboat in Amsterdam.
2 Ute: Romantic!
2023-08-03
3 Bill: We sold the houseboat and moved to a flat in Haarlem.
now 3: Haarlem
gone 1: houseboat by 3
== later 27
2023-02-04
1 Ola: My wife is a lawyer at a small firm.
2 Ute: Mine is a vet.
2023-08-04
3 Ola: My wife quit the firm, she's a judge now!
now 3: judge
gone 1: lawyer by 3
== later 28
2023-02-05
1 user: I work for Airbus in Hamburg.
2 assistant: ok
2024-02-05
3 user: I was laid off from Airbus last month.
now 3: Airbus
gone 1: Airbus by 3
== later 29
2023-02-06
1 Sia: I have a boyfriend, his name is Tom.
2 Ute: Cute.
2023-12-06
3 Sia: Tom and I got engaged on Sunday!
4 Ute: Yay!
2024-06-06
5 Sia: Tom and I are married now.
now 5: married
gone 3: engaged by 5
== later 30
2023-03-06
1 Ivo: My phone number ends with 4471.
2 Ute: ok
3 Ivo: Sorry, I mean my phone number ends with 4417.
now 3: 4417
gone 1: 4471 by 3
== later 31
2023-03-07
1 Mel: Our cat is called Tiger.
2 Ute: ok
3 Mel: Oops, the cat is called Tigger, not Tiger.
now 3: Tigger
gone 1: Tiger by 3
== later 32
2023-03-08
1 user: I paid 300 dollars for the desk.
2 assistant: ok
3 user: Actually I paid 350 dollars for the desk.
now 3: 350
gone 1: 300 by 3
== later 33
2023-03-09
1 Rob: I'm going to enter the chess tournament in Prague in May.
2 Ute: Good luck!
2023-05-29
3 Rob: I entered the chess tournament in Prague and finished ninth.
now 3: entered
gone 1: going to by 3
== later 34
2023-03-10
1 Eve: Planning to knit a jumper for my nephew.
2 Ute: Lucky kid.
2023-04-10
3 Eve: I knitted a jumper for my nephew, it took three weeks.
now 3: knitted
gone 1: Planning or planning by 3
== later 35
2023-03-11
1 Ali: We're going to move the piano upstairs next week.
2 Ute: Heavy.
2023-03-14
3 Ali: We aren't moving the piano upstairs after all.
now 3: piano
gone 1: piano by 3
== later 36
2023-03-12
1 user: I plan to visit Kyoto in April.
2 assistant: ok
2023-03-28
3 user: I had to call off the Kyoto visit.
now 3: Kyoto
gone 1: Kyoto by 3
== later 37
2023-03-13
1 Nat: The school play is on 12 May at six.
2 Ute: I'll come.
2023-05-04
3 Nat: The school play has been postponed to 26 May.
now 3: 26 May
gone 1: 12 May by 3
== later 38
2023-03-14
1 Sam: I adore my morning runs.
2 Ute: Respect. I hate mornings.
2024-03-14
3 Sam: I hate my morning runs these days.
now 3: hates
now 2: mornings
gone 1: runs by 3
== later 39
2023-03-15
1 Lin: I take my tea with milk. I don't eat dairy cheese.
2 Ute: Odd.
2023-09-15
3 Lin: I no longer take my tea with milk.
now 1: cheese
now 3: milk
gone 1: tea by 3
== later 40
2022-03-16
1 Ugo: I sing in the church choir.
2 Ute: Lovely.
2022-09-16
3 Ugo: I left the church choir.
4 Ute: Sad.
2023-03-16
5 Ugo: I sing in the church choir again.
now 5: choir
gone 1: sings by 3 or 5
free 3: choir
free 1: choir
== later 41
2023-03-17
1 Amy: I think my manager is leaving.
2 Ute: Oh.
2023-04-17
3 Amy: My manager is leaving, she told the team today.
now 3: leaving
settled 1: leaving by 3
== later 42
2023-03-18
1 Pat: My twins play the harp.
2 Ute: My twins play the harp as well.
2023-04-18
3 Pat: My twins stopped playing the harp.
now 2: harp
now 3: harp
gone 1: harp by 3
== later 43
2023-03-19
1 Jo: I've visited 14 countries.
2 Ute: I've visited 3.
2023-09-19
3 Jo: I've visited 16 countries now.
now 3: 16
gone 1: 14 by 3
== later 44
2023-03-20
1 user: I'm learning Greek, Danish and Thai.
2 assistant: ok
2023-08-20
3 user: I gave up Thai.
now 1: learning Greek
now 1: learning Danish
now 3: Thai
gone 1: Thai by 3
== later 45
2023-03-21
1 Cam: I'm 29 and I work in a cinema.
2 Ute: I'm 31.
2024-03-25
3 Cam: I turned 30 last week.
now 3: 30
now 1: cinema
now 2: 31
gone 1: 29 by 3
== later 46
2023-03-22
1 Dee: I got a parrot yesterday. I want to teach it Spanish. I bought a cage.
2 Ute: Send pics.
2023-05-22
3 Dee: I bought a bike and I painted the cage blue.
now 1: parrot
now 1: bought a cage
now 3: bike
"""
