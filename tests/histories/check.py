"""The half of the histories that was written for checking; tests/test_changed_facts.py explains the notation."""

CHECK = """
== moved 1
2023-01-20
1 Marek: I live in Gdynia, right by the harbour. You should come and see the ships.
2 Hana: One day! I live in Brno, no ships.
2023-09-18
3 Marek: Guess what, I moved to Poznan in September. Work stuff.
now 3: Poznan from 2023-09
now 2: Brno
gone 1: Gdynia by 3 until 2023-09

== moved 2
2022-11-11
1 Sara: My best friend lives in Dublin and I miss her like mad.
2 Ned: I live in Dublin!
2023-03-17
3 Sara: My best friend has moved to Cork. Two more hours on the train.
now 3: Cork
now 2: Dublin
gone 1: friend lives in Dublin by 3

== moved 3
2024-03-01
1 user: I currently live in Valencia with two flatmates.
2 assistant: Sounds lively.
2024-08-15
3 user: My new address is in Bilbao, I live there with my girlfriend.
4 assistant: Updated.
5 user: Yes, I live in Bilbao now.
now 5: Bilbao
gone 1: Valencia by 5

== moved 4
2023-05-15
1 Anouk: My parents live in Lille. I live in Paris, like everyone.
2 Bas: Not everyone.
2023-12-03
3 Anouk: We moved out of Paris! We live in a village near Chartres, with a well.
now 1: parents live in Lille
now 3: Chartres
gone 1: Anouk lives in Paris by 3

== moved 5
2023-06-01
1 Kofi: I live in Accra.
2 Lara: Hot there now?
2023-06-20
3 Kofi: I stayed in Kumasi for a week, at my uncle's.
4 Lara: Nice.
5 Kofi: My uncle lives in Kumasi since forever.
6 Lara: I flew to Accra once.
2024-01-10
7 Kofi: I'm settled in Tema now, closer to the port.
now 7: Tema
now 3: Kumasi
now 5: Kumasi
now 6: Accra
gone 1: Accra by 7

== job 1
2023-02-03
1 Greta: I work at a bakery, the one by the church, so I get up at three.
2 Ivan: Brutal. I'm a taxi driver, I go to bed at three.
2023-07-10
3 Greta: I started at the post office last Monday. I sleep until six!
now 3: post office from 2023-07-03
now 2: taxi
gone 1: works at a bakery by 3

== job 2
2022-06-01
1 Luis: I'm a chef at a hotel on the coast.
2 Rena: Fancy.
2023-02-01
3 Luis: I'm not a chef anymore. I'm training as a paramedic.
now 3: paramedic
gone 1: chef by 3

== job 3
2024-02-02
1 user: My wife works for Lidl and I work for the city council.
2 assistant: Understood.
2024-06-06
3 user: My wife works for Aldi now.
now 1: council
now 3: Aldi
gone 1: Lidl by 3

== job 4
2023-03-03
1 Petra: I've been working at Ubisoft for six years.
2 Dan: Time flies.
2023-10-10
3 Petra: They let me go, I'm unemployed since Friday.
4 Dan: Oh no. I still work at Ubisoft.
2024-01-15
5 Petra: New year, new job: I work at Larian.
now 5: Larian
now 4: Ubisoft
gone 1: Ubisoft by 3 or 5

== job 5
2023-04-20
1 Sven: I teach maths at a secondary school in Malmo.
2 Tove: Brave man.
2023-11-20
3 Sven: I quit teaching, I'm a programmer at a bank now.
now 3: programmer
gone 1: teaches maths by 3

== relationship 1
2023-03-30
1 Julia: My boyfriend Tariq makes the best soup. I'm dating a genius.
2 Kim: My husband can't even boil water.
2023-09-30
3 Julia: Tariq and I split up. I'm single again, and soupless.
now 3: single
gone 1: dating by 3

== relationship 2
2022-02-02
1 Remy: I've been married to Lou for nine years.
2 Pat: Wow.
2023-02-02
3 Remy: Lou and I got divorced in January. We're still friends.
now 3: divorced
gone 1: married to Lou by 3

== relationship 3
2023-07-07
1 Asa: I got engaged to Mikkel on Thursday!
2 Fred: Congrats!!
2023-10-12
3 Asa: I called off the engagement. I'd rather not talk about it.
now 3: engagement
gone 1: engaged by 3

== relationship 4
2023-01-05
1 user: My sister is single and my brother is engaged.
2 assistant: Okay.
2023-08-05
3 user: My sister is dating a firefighter.
now 1: brother is engaged
now 3: firefighter
gone 1: sister is single by 3

== corrected 1
2023-04-10
1 Omar: The plumber's name is Kovac.
2 Nell: Thanks, I'll call.
3 Omar: Hang on, his name isn't Kovac, the plumber's name is Kovar.
now 3: Kovar
gone 1: Kovac by 3

== corrected 2
2023-05-20
1 user: My appointment is on the 14th of June at nine.
2 assistant: Saved.
3 user: Sorry, I meant the 15th of June, not the 14th.
now 3: 15th
gone 1: 14th by 3

== corrected 3
2024-02-02
1 Britt: I have four nieces.
2 Jens: I have four cats.
3 Britt: Wait, five! I have five nieces, I forgot the baby.
now 3: five nieces
now 2: four cats
gone 1: four nieces by 3

== corrected 4
2023-08-18
1 Dina: We're staying at the Hotel Adler.
2 Moe: I know the place.
3 Dina: I mixed it up, we're staying at the Hotel Krone, not the Adler.
now 3: Krone
gone 1: Adler by 3 never

== corrected 5
2023-03-12
1 Tim: The rent is 900 euros.
2 Gia: Not bad for the centre. My rent is 700 euros.
3 Tim: Actually the rent is 950 euros, I forgot the heating.
now 3: 950
now 2: 700
gone 1: 900 by 3

== corrected 6
2023-10-10
1 Pia: My grandfather was born in 1931.
2 Ron: What a life.
3 Pia: No, that's wrong, he was born in 1929. Grandma was born in 1931.
now 3: 1929
gone 1: 1931 by 3

== done 1
2023-02-20
1 Ayla: I'm planning to get my driving licence before summer.
2 Nuno: Good luck with that.
2023-05-29
3 Ayla: I got my driving licence on Friday!!!
now 3: driving licence on 2023-05-26
gone 1: planning by 3

== done 2
2023-07-01
1 Jan: We want to visit the Faroe Islands in autumn.
2 Isa: Bring a raincoat. I'm going to visit my mum.
2023-10-30
3 Jan: We're back from the Faroe Islands. We visited the Faroe Islands for ten days and saw the sun twice.
now 3: visited the Faroe Islands
now 2: mum
gone 1: Faroe Islands by 3

== done 3
2022-04-04
1 user: I'm going to plant three apple trees behind the shed.
2 assistant: Lovely idea.
2022-11-13
3 user: I planted the three apple trees yesterday.
now 3: apple trees on 2022-11-12
gone 1: going to plant by 3

== done 4
2023-01-15
1 Rolf: Thinking of signing up for an evening course in welding.
2 Mona: Sparks!
2023-02-26
3 Rolf: I signed up for the evening course in welding. It starts in March.
now 3: signed up
gone 1: welding by 3

== dropped 1
2023-05-05
1 Lise: We're going to build a sauna in the garden this summer.
2 Erik: Invite me.
2023-06-20
3 Lise: No sauna this year, we're not building it after all. The permit costs a fortune.
gone 1: build a sauna by 3

== dropped 2
2024-01-10
1 user: I plan to move to Canada next year.
2 assistant: Exciting.
2024-04-10
3 user: I'm no longer planning to move to Canada.
now 3: Canada
gone 1: plans to move by 3

== dropped 3
2023-03-14
1 Hedi: I'm going to run for the school board.
2 Cas: You'd be great.
2023-04-14
3 Hedi: I changed my mind, I'm not going to run for the school board.
now 3: school board
gone 1: school board by 3

== dropped 4
2023-06-06
1 Nico: My sister wants to adopt a parrot, I want to adopt a dog.
2 Pam: A zoo!
2023-08-01
3 Nico: My sister decided not to adopt a parrot. Too loud.
now 1: dog
now 3: parrot
gone 1: sister wants by 3

== dropped 5
2023-09-09
1 Uli: I'm thinking about selling my motorbike.
2 Ria: About time.
3 Uli: I'm hoping to sell it before winter.
2023-10-10
4 Uli: I won't sell my motorbike after all, I can't do it.
now 4: motorbike
gone 1: selling my motorbike or selling their motorbike by 4
free 3: sell

== postponed 1
2023-02-10
1 Freya: The exam is on 3 March, I'm terrified.
2 Olli: You'll be fine. My exam is on 10 March.
2023-02-25
3 Freya: The exam got pushed to 17 March. Two more weeks of coffee.
now 3: 17 March
now 2: 10 March
gone 1: 3 March by 3

== postponed 2
2023-05-01
1 Cem: I'm going to have a barbecue on Saturday.
2 Gail: Count me in.
2023-05-05
3 Cem: Rain, of course. The barbecue is next Saturday instead.
now 3: barbecue
gone 1: barbecue by 3

== postponed 3
2024-01-05
1 user: We're planning to renovate the bathroom in March.
2 assistant: Good to know.
2024-02-20
3 user: We're planning to renovate the bathroom in May now, the tiler is sick.
now 3: renovate the bathroom
gone 1: March by 3

== postponed 4
2023-11-01
1 Zuri: Our flight to Nairobi leaves on 20 December.
2 Abe: So soon.
2023-12-10
3 Zuri: They rescheduled our flight to Nairobi to 22 December.
now 3: 22 December
gone 1: 20 December by 3

== preference 1
2022-09-09
1 Rudi: I love horror films, the bloodier the better.
2 Ilse: I hate horror films.
2023-10-31
3 Rudi: I can't stand horror films anymore, since the baby.
now 3: horror
now 2: horror
gone 1: horror by 3

== preference 2
2023-02-14
1 Wanda: My favourite colour is orange.
2 Bert: And your favourite animal?
3 Wanda: My favourite animal is the otter.
2023-12-12
4 Wanda: My favourite colour is dark green these days.
now 3: otter
now 4: green
gone 1: orange by 4

== preference 3
2023-01-30
1 user: I dislike coriander, it tastes like soap.
2 assistant: That's genetic for some people.
2023-11-30
3 user: I've started to like coriander, strange but true. I like coriander now.
now 3: coriander
gone 1: coriander by 3

== preference 4
2023-04-02
1 Joost: I enjoy cooking and hiking.
2 Ewa: I enjoy cooking.
2023-09-02
3 Joost: I don't enjoy cooking anymore.
now 2: cooking
now 1: enjoys hiking
now 3: cooking
gone 1: cooking by 3

== again 1
2022-05-05
1 Nils: I work at Spotify.
2 Ann: Cool.
2022-12-05
3 Nils: I work at Klarna now.
4 Ann: Money, money.
2023-06-05
5 Nils: I'm back at Spotify, I work at Spotify again.
now 5: Spotify
gone 3: Klarna by 5
free 1: Spotify

== again 2
2023-01-08
1 Dora: I'm single.
2 Levi: Same.
2023-04-08
3 Dora: I'm dating Jonah.
4 Levi: Traitor.
2023-07-08
5 Dora: I'm single again. Don't ask.
now 5: single
gone 3: Jonah by 5
free 1: single

== again 3
2023-02-02
1 user: I drink coffee every morning.
2 assistant: Noted.
2023-04-02
3 user: I stopped drinking coffee.
4 assistant: Okay.
2023-06-02
5 user: I drink coffee again, life is short.
now 5: coffee
gone 3: coffee by 5
free 1: coffee

== again 4
2022-03-20
1 Mirko: I play the trombone in the town band.
2 Jule: Loud.
2022-10-20
3 Mirko: I quit the trombone.
4 Jule: Quiet.
2023-05-20
5 Mirko: I play the trombone again!
now 5: trombone
gone 3: trombone by 5
free 1: trombone

== hearsay 1
2023-09-01
1 Flo: I was told that the gym is closing, maybe just gossip.
2 Hank: Not the gym!
2023-09-15
3 Flo: The gym is closing at the end of the month, there's a sign on the door. My gym is closing.
now 3: gym
settled 1: gym by 3

== hearsay 2
2023-03-23
1 Gabi: I guess my sister is dating someone.
2 Tor: Who?
2023-04-23
3 Gabi: My sister is dating someone from her orchestra, she brought him to dinner.
now 3: dating
settled 1: dating by 3

== hearsay 3
2024-05-05
1 user: Apparently my cousin Rosa moved to Malaga.
2 assistant: I see.
2024-05-25
3 user: My aunt moved to Malaga.
doubt 1: Rosa moved
now 3: aunt

== hearsay 4
2023-06-16
1 Lev: My neighbour is probably a teacher.
2 Ksenia: Why?
3 Lev: My uncle is a teacher too.
2023-06-30
4 Lev: My neighbour is a dentist, I asked him.
now 4: dentist
now 3: teacher
gone 1: teacher by 4

== two people 1
2023-02-22
1 Alma: I'm allergic to cats.
2 Beni: I'm allergic to cats too!
2023-12-22
3 Alma: I'm not allergic to cats anymore, the shots worked.
now 2: cats
now 3: cats
gone 1: cats by 3

== two people 2
2023-05-05
1 Rik: My mum lives in Breda and my dad lives in Breda as well, different streets.
2 Sil: Divorced?
2023-11-05
3 Rik: My mum moved to Zwolle.
now 1: dad lives in Breda
now 3: Zwolle
gone 1: mum lives in Breda by 3

== two people 3
2023-07-19
1 Cora: I'm planning to visit Lisbon in September.
2 Theo: I'm planning to visit Lisbon too.
2023-09-25
3 Theo: I visited Lisbon last week. Custard tarts every day.
now 1: Lisbon
now 3: visited Lisbon
gone 2: Lisbon by 3

== two people 4
2023-08-08
1 Inga: My favourite football club is Ajax.
2 Hein: My favourite football club is Ajax as well.
2023-10-08
3 Inga: I hate football now.
now 2: Ajax
now 3: hates football

== grows 1
2023-01-01
1 Fritz: My YouTube channel has 200 subscribers.
2 Nina: 201 now.
2023-07-01
3 Fritz: My YouTube channel has 1,500 subscribers!
now 3: 1,500
gone 1: 200 subscribers by 3

== grows 2
2022-08-08
1 user: I own two guitars.
2 assistant: Which ones?
2023-02-08
3 user: I own four guitars now. I also own two amplifiers.
now 3: four guitars
now 3: two amplifiers
gone 1: two guitars by 3

== grows 3
2023-03-13
1 Bibi: I've lost 3 kilos since January.
2 Jo: Great!
2023-06-13
3 Bibi: I've lost 8 kilos since January.
now 3: 8 kilos
gone 1: 3 kilos by 3

== grows 4
2023-04-24
1 Karl: Our team has five people.
2 Lene: Ours has twelve people.
2023-10-24
3 Karl: Our team has nine people now, we hired a lot.
now 3: nine
now 2: twelve
gone 1: five people by 3

== list 1
2023-02-12
1 Ziv: I have two rabbits, Nougat and Pepper.
2 Mai: Cute.
2023-05-12
3 Ziv: Pepper died on Tuesday.
4 Mai: Oh no.
2023-08-12
5 Ziv: I have three rabbits now, we took in a pair.
now 3: Pepper
now 5: three rabbits
gone 1: two rabbits by 5

== list 2
2023-01-18
1 user: I like sushi, tacos and pho.
2 assistant: Good taste.
2023-09-18
3 user: I don't like tacos anymore.
now 1: sushi
now 1: pho
now 3: tacos
gone 1: tacos by 3

== list 3
2023-06-09
1 Tilda: I play tennis and hockey.
2 Sig: I play hockey.
2023-12-09
3 Tilda: I gave up hockey after the injury. I play padel now.
now 1: plays tennis
now 2: hockey
now 3: padel
gone 1: hockey by 3

== list 4
2023-03-07
1 Amos: I'm taking Spanish, woodwork and drawing classes.
2 Vida: When do you sleep?
2023-05-07
3 Amos: I dropped the drawing class.
now 3: drawing
now 1: Spanish
now 1: woodwork
gone 1: drawing by 3

== between 1
2023-01-02
1 Nadja: I drive a Skoda and I live in Linz.
2 Peer: I drive a Skoda too.
2023-02-02
3 Nadja: I went to Linz airport to fetch my cousin. She lives in Riga.
4 Peer: I bought a canoe.
2023-08-02
5 Nadja: I moved to Salzburg in July.
now 1: Skoda
now 2: Skoda
now 4: canoe
now 5: Salzburg from 2023-07
gone 1: lives in Linz by 5

== between 2
2024-01-01
1 user: My doctor is called Weiss and my dentist is called Braun.
2 assistant: Noted.
3 user: I take the bus to work. I work at Bayer.
4 assistant: Noted.
2024-09-01
5 user: My dentist is called Schulz now, the old one retired.
now 1: Weiss
now 3: Bayer
now 5: Schulz
gone 1: Braun by 5

== between 3
2023-05-25
1 Femi: I'm going to paint the kitchen. I'm going to paint the fence too.
2 Gro: I'm going to paint nothing.
2023-06-25
3 Femi: I painted the kitchen on Sunday. I repaired the gate.
now 1: fence
now 3: kitchen
now 3: gate
gone 1: paint the kitchen by 3
"""
