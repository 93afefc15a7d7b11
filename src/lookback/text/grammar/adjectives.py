"""The adjectives: English, French, rank, and the classes of nouns that they suit.

Rank is the order in English, from the one farthest from the noun to the nearest:
0 and 1 age, size, praise, which precede the noun in French too (0 never follows
*is*: nobody "is new"); 2 quality;
3 colour; 4 origin; 5 field. The French ones of rank 2 to 5 follow the noun, the other
way round: "European economic area", *zone économique européenne*.
`a/b` gives an odd feminine; a third form is used before a vowel: *le bel oiseau*.
"""

ADJECTIVES = """
new         nouveau/nouvelle/nouvel 0 pidnrlutwco
european    européen       4 pidnrlutfbgco
small       petit          1 pairlutwc
economic    économique     5 idnz
important   important      2 piodnrc
old         vieux/vieille/vieil 1 palrutwc
red         rouge          3 tx
political   politique      5 idnz
young       jeune          1 pa
french      français       4 pidnrlutfbg
big         grand          1 alutwi
american    américain      4 pidnrlutfbg
beautiful   beau/belle/bel 1 arluwt
difficult   difficile      2 dn
black       noir           3 atx
public      public/publique 5 iluz
good        bon            1 pirfbt
rich        riche          2 pcq
german      allemand       4 pidnrlutfbg
financial   financier      5 idnz
famous      célèbre        2 pirlu
international international 4 idz
white       blanc/blanche  3 axt
strange     étrange        2 parltw
scientific  scientifique   5 irdz
happy       heureux        2 p
italian     italien        4 pidnrlutfbg
useful      utile          2 dtr
military    militaire      5 idnz
green       vert           3 tx
dangerous   dangereux      2 altg
social      social         5 idnz
japanese    japonais       4 pidnrlutfbg
national    national       4 idz
expensive   cher           2 tfbg
secret      secret/secrète 2 dnr
simple      simple         2 drtn
intelligent intelligent    2 pa
modern      moderne        2 ilutc
------
long        long/longue    1 drn
legal       juridique      5 idnz
cultural    culturel       5 idnz
african     africain       4 pidnrlutfbg
spanish     espagnol       4 pidnrlutfbg
chinese     chinois        4 pidnrlutfbg
serious     sérieux        2 pd
official    officiel       2 drn
powerful    puissant       2 picq
poor        pauvre         2 pc
blue        bleu           3 tx
independent indépendant    2 ic
industrial  industriel     5 idz
regional    régional       4 idz
canadian    canadien       4 pidnrlutfbg
asian       asiatique      4 pidnrlutfbg
ambitious   ambitieux      2 pdn
generous    généreux       2 piq
grey        gris           3 tax
brown       brun           3 tax
heavy       lourd          2 tx
complex     complexe       2 dn
interesting intéressant    2 drl
tired       fatigué        2 pa
honest      honnête        2 p
brave       courageux      2 pa
polish      polonais       4 pidnrlutfbg
belgian     belge          4 pidnrlutfbg
irish       irlandais      4 pidnrlutfbg
swedish     suédois        4 pidnrlutfbg
commercial  commercial     5 idnz
agricultural agricole      5 idnz
historic    historique     2 ludn
quiet       calme          2 lpa
ancient     ancien         2 luwr
temporary   temporaire     2 dni
urgent      urgent         2 dn
fragile     fragile        2 tx
rare        rare           2 atr
wise        sage           2 pq
"""
