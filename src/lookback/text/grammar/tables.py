"""The tables of the grammar: every word and fixed expression, in both languages.

The most frequent words come first: `lexicon` draws them most often. Below a line of
dashes are the words that only the full lexicon has.
"""

# Nouns and names. A line: English, French, gender, classes, and for places the
# preposition in both languages. `a/b` gives an irregular plural; a plural `-` says
# that there is none. Classes say which verbs and adjectives a noun can have:
# p person, o who leads an institution, q who rules or speaks for a country, k kin and
# friends; i institution; c country; d official document, n one that can be signed;
# r what one reads; l place, m place one goes to, u building, z zone; t thing, w what
# opens, x what has a colour and is no thing of the market;
# a animal; f food; b beverage; g raw goods.

NOUNS = """
minister     ministre      m po
treaty       traité        m dn
commission   commission    f i
woman/women  femme         f p
law          loi           f dn
dog          chien         m a
book         livre         m rt
president    président     m po
house        maison        f lu   in dans
bank         banque        f i
report       rapport       m d
teacher      professeur    m p
bread/-      pain          m f
country      pays          m c
girl         fille         f p
agreement    accord        m dn
parliament   parlement     m i
car          voiture       f t
garden       jardin        m lm   in dans
wine/-       vin           m b
man/men      homme         m p
letter       lettre        f rw
cat          chat          m a
government   gouvernement  m i
queen        reine         f pq
market       marché        m lm   at à
proposal     proposition   f d
doctor       médecin       m p
area         zone          f lz   in dans
horse        cheval        m a
company      entreprise    f i
oil/-        pétrole       m g
director     directrice    f po
contract     contrat       m dn
school       école         f lmu  at à
cheese/-     fromage       m f
farmer       agriculteur   m p
key          clé           f t
university   université    f iu
friend       ami           m pk
picture      tableau       m t
republic     république    f c
resolution   résolution    f dn
water/-      eau           f b
singer       chanteuse     f p
museum       musée         m lmuw at à
bird         oiseau        m a
council      conseil       m i
journalist   journaliste   f p
door         porte         f wx
plan         plan          m d
steel/-      acier         m g
king         roi           m pq
village      village       m lm   in dans
newspaper    journal       m r
meat/-       viande        f f
agency       agence        f i
child/children enfant      m pk
apple        pomme         f f
ambassador   ambassadeur   m pq
owl          hibou/hiboux  m a
street       rue           f l    in dans
kingdom      royaume       m c
coffee/-     café          m b
chair        chaise        f t
hero/heroes  héros         m p
------
union        union         f i
court        tribunal      m i
student      étudiante     f p
ministry     ministère     m i
budget       budget        m d
novel        roman         m r
office       bureau        m lw   in dans
station      gare          f lmu  at à
cow          vache         f a
wheat/-      blé           m g
milk/-       lait          m b
computer     ordinateur    m t
lawyer       avocate       f p
committee    comité        m i
hospital     hôpital       m lmu  at à
article      article       m r
convention   convention    f dn
mayor        maire         m p
window       fenêtre       f wx
brother      frère         m pk
sister       sœur          f pk
federation   fédération    f i
declaration  déclaration   f dn
forest       forêt         f l    in dans
mountain     montagne      f l    in dans
bridge       pont          m lu   on sur
watch        montre        f t
egg          œuf           m f
butter/-     beurre        m f
tea/-        thé           m b
beer/-       bière         f b
coal/-       charbon       m g
cotton/-     coton         m g
wood/-       bois          m g
gold/-       or            m g
sheep/sheep  mouton        m a
wolf/wolves  loup          m a
fox          renard        m a
engineer     ingénieur     m p
soldier      soldat        m p
actress      actrice       f p
nurse        infirmière    f p
judge        juge          m p
writer       écrivain      m p
worker       ouvrier       m p
citizen      citoyen       m pk
princess     princesse     f pq
secretary    secrétaire    f po
expert       expert        m p
delegation   délégation    f i
party        parti         m i
institute    institut      m i
association  association   f i
palace       palais        m lmu  in dans
theatre      théâtre       m lmuw at à
library      bibliothèque  f lmuw at à
church       église        f lmu  in dans
hotel        hôtel         m lmu  at à
restaurant   restaurant    m lmuw at à
island       île           f l    on sur
beach        plage         f lm   on sur
city         ville         f l    in dans
kitchen      cuisine       f l    in dans
bag          sac           m t
bottle       bouteille     f t
hat          chapeau       m t
bicycle      vélo          m t
machine      machine       f t
box          boîte         f tw
poem         poème         m r
story        histoire      f r
speech       discours      m r
directive    directive     f d
reform       réforme       f d
programme    programme     m d
amendment    amendement    m d
charter      charte        f dn
nation       nation        f c
state        état          m c
fish/fish    poisson       m af
"""

PEOPLE = """
mary marie f
john jean m
peter pierre m
anne anne f
paul paul m
louise louise f
------
alice alice f
hugo hugo m
henry henri m
emma emma f
helen hélène f
martin martin m
claire claire f
louis louis m
"""

CITIES = """
paris paris
london londres
rome rome
brussels bruxelles
athens athènes
geneva genève
------
berlin berlin
vienna vienne
lisbon lisbonne
moscow moscou
warsaw varsovie
tokyo tokyo
oslo oslo
venice venise
"""

COUNTRIES = """
france france f
germany allemagne f
canada canada m
italy italie f
japan japon m
spain espagne f
china chine f
------
portugal portugal m
england angleterre f
belgium belgique f
brazil brésil m
greece grèce f
poland pologne f
sweden suède f
norway norvège f
india inde f
egypt égypte f
morocco maroc m
ireland irlande f
austria autriche f
switzerland suisse f
"""

# Adjectives: English, French, rank, and the classes of the nouns that they suit. Rank
# is the order in English, from the farthest from the noun to the nearest: 0 and 1 age,
# size, praise, which precede the noun in French too (0 never follows *is*: nobody "is
# new"); 2 quality; 3 colour; 4 origin; 5 field. In French those of rank 2 to 5 follow
# the noun in the opposite order: European economic area, zone économique européenne.
# `a/b` gives an irregular feminine; a third form is used before a vowel: bel oiseau.

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

# Verbs: English, French, classes of the subject, classes of the object (TRANSITIVE and
# GIVING), marks. `write/wrote/written` gives an irregular past and participle. A French
# verb with `+` makes its perfect with être. Marks: s a state (its past is the
# imperfect), x no passive, u what nobody wants to do, y no negation (*ne pas penser
# que* would ask for the subjunctive).

TRANSITIVE = """
sign        signer      pic n
see/saw/seen voir       pa  palt
approve     approuver   pic d
buy/bought  acheter     pi  tgfb
love        aimer       p   pa    sx
read/read   lire        p   dr
publish     publier     pi  dr
visit       visiter     p   lc
sell/sold   vendre      pi  tgfb
help        aider       pic pic
reject      rejeter     pic d
protect     protéger    picn pacl
meet/met    rencontrer  p   p     x
know/knew/known connaître p plr   sx
write/wrote/written écrire p r
eat/ate/eaten manger    pa  f
choose/chose/chosen choisir pi pt
find/found  trouver     pa  ta
concern     concerner   d   pic   sx
build/built construire  pic u
import      importer    ci  gfb
follow      suivre      pa  pa
open        ouvrir      p   w
admire      admirer     p   plr   s
control/controlled contrôler   pic i
describe    décrire     dr  lpci
drink/drank/drunk boire p   b
------
finance     financer    ic  iud
examine     examiner    pi  dt
translate   traduire    p   r
lose/lost   perdre      p   tr u
close       fermer      p   w
export      exporter    ci  gfb
adopt       adopter     pi  dn
produce     produire    ci  gfb
invite      inviter     pi  p
accept      accepter    pic dn
criticise   critiquer   pir picd
defend      défendre    pic pic
prepare     préparer    pi  dn
replace     remplacer   pi  pdt
destroy     détruire    pi  tul
discover    découvrir   p   lat
photograph  photographier p platu
watch       surveiller  p   pat
repair      réparer     p   t
hide/hid/hidden cacher  p   tr
modify      modifier    pi  dn
recognise   reconnaître p   pt
forget/forgot/forgotten oublier p ptr u
explain     expliquer   p   drn
respect     respecter   pic npi   s
"""

INTRANSITIVE = """
sleep/slept dormir      pa
work        travailler  p
arrive      arriver+    p
change      changer     icldn
fall/fell/fallen tomber+ pat u
fail        échouer     pid u
sing/sang/sung chanter  p
burn        brûler      trgux
stay        rester+     pa
hesitate    hésiter     pi
run/ran/run courir      pa
exist       exister     idnrcl s
suffer      souffrir    pac u
disappear   disparaître patdrgfbwic u
------
speak/spoke/spoken parler p
wait        attendre    pa
smile       sourire     p
dance       danser      p
live        vivre       pa  s
cry         pleurer     p u
succeed     réussir     pidc
prosper     prospérer   ic
jump        sauter      pa
shine/shone briller     tx
expire      expirer     dn
"""

MOTION = """
go/went/gone  aller+     p
return        retourner+ pa
come/came/come venir+    p
------
travel/travelled voyager p
"""

GIVING = """
give/gave/given donner   pi  trf
send/sent     envoyer    pi  rdt
show/showed/shown montrer pi trd
------
offer         offrir     p   trf
lend/lent     prêter     p   t
present       présenter  pi  d
"""

SAYING = """
say/said      dire       pi
think/thought penser     p   y s
announce      annoncer   pic
know/knew/known savoir   p   s
show/showed/shown montrer dr
believe       croire     p   y s
------
declare       déclarer   pic
explain       expliquer  pdr
write/wrote/written écrire p
add           ajouter    pi
claim         affirmer   pi
"""

# The present of je, il, nous, vous, ils; the stem of the future; the participle.
IRREGULAR = """
acheter     achète achète achetons achetez achètent achèter acheté
aller       vais va allons allez vont ir allé
attendre    attends attend attendons attendez attendent attendr attendu
avoir       ai a avons avez ont aur eu
boire       bois boit buvons buvez boivent boir bu
connaître   connais connaît connaissons connaissez connaissent connaîtr connu
construire  construis construit construisons construisez construisent construir construit
courir      cours court courons courez courent courr couru
croire      crois croit croyons croyez croient croir cru
découvrir   découvre découvre découvrons découvrez découvrent découvrir découvert
décrire     décris décrit décrivons décrivez décrivent décrir décrit
défendre    défends défend défendons défendez défendent défendr défendu
détruire    détruis détruit détruisons détruisez détruisent détruir détruit
devoir      dois doit devons devez doivent devr dû
dire        dis dit disons dites disent dir dit
disparaître disparais disparaît disparaissons disparaissez disparaissent disparaîtr disparu
dormir      dors dort dormons dormez dorment dormir dormi
écrire      écris écrit écrivons écrivez écrivent écrir écrit
envoyer     envoie envoie envoyons envoyez envoient enverr envoyé
être        suis est sommes êtes sont ser été
lire        lis lit lisons lisez lisent lir lu
offrir      offre offre offrons offrez offrent offrir offert
ouvrir      ouvre ouvre ouvrons ouvrez ouvrent ouvrir ouvert
perdre      perds perd perdons perdez perdent perdr perdu
pouvoir     peux peut pouvons pouvez peuvent pourr pu
produire    produis produit produisons produisez produisent produir produit
protéger    protège protège protégeons protégez protègent protéger protégé
reconnaître reconnais reconnaît reconnaissons reconnaissez reconnaissent reconnaîtr reconnu
rejeter     rejette rejette rejetons rejetez rejettent rejetter rejeté
prospérer   prospère prospère prospérons prospérez prospèrent prospérer prospéré
souffrir    souffre souffre souffrons souffrez souffrent souffrir souffert
savoir      sais sait savons savez savent saur su
sourire     souris sourit sourions souriez sourient sourir souri
suivre      suis suit suivons suivez suivent suivr suivi
traduire    traduis traduit traduisons traduisez traduisent traduir traduit
vendre      vends vend vendons vendez vendent vendr vendu
venir       viens vient venons venez viennent viendr venu
vivre       vis vit vivons vivez vivent vivr vécu
voir        vois voit voyons voyez voient verr vu
vouloir     veux veut voulons voulez veulent voudr voulu
"""  # noqa: E501

# Expressions: `english = french`, each word with its part of speech; a French word is
# followed by the positions (1, 2, …) of the English words that it comes from:
# `lundi/NOUN:2?1` comes surely from the second and possibly from the first.
# The tenses that an expression of time suits: p present, h habit (used to), a past,
# e perfect, f future, m after a modal.
ADVERBS_OF_TIME = """
a yesterday/ADV = hier/ADV:1
f tomorrow/ADV = demain/ADV:1
pefm today/ADV = aujourd'hui/ADV:1
ph every/DET day/NOUN = chaque/DET:1 jour/NOUN:2
a last/ADJ week/NOUN = la/DET:?2 semaine/NOUN:2 dernière/ADJ:1
f next/ADJ year/NOUN = l'/DET:?2 année/NOUN:2 prochaine/ADJ:1
a last/ADJ month/NOUN = le/DET:?2 mois/NOUN:2 dernier/ADJ:1
fm next/ADJ week/NOUN = la/DET:?2 semaine/NOUN:2 prochaine/ADJ:1
a two/NUM years/NOUN ago/ADV = il/PRON:3 y/PRON:3 a/VERB:3 deux/NUM:1 ans/NOUN:2
ph every/DET year/NOUN = chaque/DET:1 année/NOUN:2
a three/NUM days/NOUN ago/ADV = il/PRON:3 y/PRON:3 a/VERB:3 trois/NUM:1 jours/NOUN:2
ph every/DET week/NOUN = chaque/DET:1 semaine/NOUN:2
"""

# Couples, English and French; after | those of the full lexicon alone.
DAYS = """
monday lundi friday vendredi wednesday mercredi sunday dimanche
| tuesday mardi thursday jeudi saturday samedi
"""
MONTHS = """
may mai june juin january janvier september septembre april avril
| march mars july juillet august août october octobre november novembre
december décembre february février
"""
ORDINALS = """
first premier third trois tenth dix twentieth vingt
| second deux fourth quatre fifth cinq sixth six eighth huit eleventh onze
twelfth douze fifteenth quinze thirtieth trente
"""
# Years are read in two halves: nineteen ninety-two.
YEARS = """
fifty cinquante sixty soixante ninety-two quatre-vingt-douze
| forty-five quarante-cinq eighty quatre-vingt fourteen quatorze
seventy-one soixante-et-onze thirty trente
"""
# Numbers before a noun; those that end in one agree and are left out.
NUMBERS = """
two deux three trois four quatre ten dix twenty vingt five cinq twelve douze
| seven sept six six eight huit eleven onze fifteen quinze fifty cinquante
nine neuf sixty soixante thirty trente forty quarante
"""
THOUSANDS = "hundred cents thousand mille"
