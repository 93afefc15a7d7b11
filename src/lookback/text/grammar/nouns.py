"""The nouns and names, the most frequent first.

One line for each: English, French, gender, classes, then for places the preposition
in both languages. `a/b` gives an odd plural; a plural `-` says that there is none.
Below a line of dashes stand the words that only the full lexicon has.

Classes say what a noun can do and suffer (see `verbs`) and be like (`adjectives`):
p person, o who leads an institution, q who rules or speaks for a country, k kin and
friends; i institution; c country; d official document, n one that can be signed;
r what one reads; l place, m place one goes to, u building, z zone; t thing, w what
opens, x what has a colour and is no thing of the market;
a animal; f food; b beverage; g raw goods.
"""

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
