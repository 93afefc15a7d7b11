"""The 250 commonest English words of Multi30k's training captions, with their French.

As many words as the Georgetown–IBM machine had. Each has one part of speech and one
translation, written by hand from the list of words; see `lookback.rules` for the form.
"""

CAPTION_WORDS = """
a DET un/une/des/des
. PUNCT .
in ADP dans
the DET le/la/les/les
on ADP sur
man NOUN,m homme
is AUX est
and CCONJ et
of ADP de
with ADP avec
, PUNCT ,
woman NOUN,f femme
two NUM deux
are AUX sont
to ADP à
people NOUN,fp personnes
at ADP à
an DET un/une/des/des
wearing VERB portant
young ADJ,before jeune/jeune/jeunes/jeunes
white ADJ blanc/blanche/blancs/blanches
shirt NOUN,m t-shirt
black ADJ noir/noire/noirs/noires
his DET son/sa/ses/ses
while SCONJ tandis que
blue ADJ bleu/bleue/bleus/bleues
men NOUN,mp hommes
sitting VERB assis
girl NOUN,f fille
red ADJ rouge/rouge/rouges/rouges
boy NOUN,m garçon
dog NOUN,m chien
standing VERB debout
playing VERB jouant
group NOUN,m groupe
street NOUN,f rue
down ADP dans
walking VERB marchant
front NOUN,m devant
her DET son/sa/ses/ses
holding VERB tenant
one NUM un
three NUM trois
water NOUN,f eau
by ADP par
women NOUN,fp femmes
green ADJ vert/verte/verts/vertes
little ADJ,before petit/petite/petits/petites
up ADP en haut
for ADP pour
looking VERB regardant
child NOUN,m enfant
outside ADV dehors
as SCONJ comme
large ADJ,before grand/grande/grands/grandes
through ADP à travers
yellow ADJ jaune/jaune/jaunes/jaunes
brown ADJ marron/marron/marron/marron
children NOUN,mp enfants
person NOUN,f personne
from ADP de
their DET leur/leur/leurs/leurs
ball NOUN,f balle
hat NOUN,m chapeau
into ADP dans
small ADJ,before petit/petite/petits/petites
next ADV à côté
other ADJ,before autre/autre/autres/autres
dressed VERB vêtu
some DET des/des/des/des
out ADV dehors
over ADP au-dessus de
building NOUN,m bâtiment
riding VERB faisant
running VERB courant
near ADP près de
jacket NOUN,f veste
around ADP autour de
another DET un/une/d'/d' autre
sidewalk NOUN,m trottoir
field NOUN,m champ
orange ADJ orange/orange/orange/orange
crowd NOUN,f foule
beach NOUN,f plage
stands VERB se tient
sits VERB est assis
pink ADJ rose/rose/roses/roses
jumping VERB sautant
behind ADP derrière
table NOUN,f table
grass NOUN,f herbe
background NOUN,m arrière-plan
snow NOUN,f neige
stand VERB se tiennent
bike NOUN,m vélo
city NOUN,f ville
girls NOUN,fp filles
air NOUN,m air
player NOUN,m joueur
asian ADJ asiatique/asiatique/asiatiques/asiatiques
looks VERB regarde
wall NOUN,m mur
top NOUN,m haut
several DET plusieurs
dogs NOUN,mp chiens
older ADJ âgé/âgée/âgés/âgées
four NUM quatre
off ADP de
dress NOUN,f robe
that PRON qui
park NOUN,m parc
camera NOUN,m appareil photo
talking VERB parlant
something PRON quelque chose
lady NOUN,f dame
soccer NOUN,m football
along ADP le long de
walks VERB marche
guitar NOUN,f guitare
boys NOUN,mp garçons
hair NOUN,mp cheveux
play VERB jouent/jouer
together ADV ensemble
working VERB travaillant
food NOUN,f nourriture
smiling VERB souriant
gray ADJ gris/grise/gris/grises
picture NOUN,f photo
has AUX a
game NOUN,m match
plays VERB joue
car NOUN,f voiture
holds VERB tient
hand NOUN,f main
road NOUN,f route
him PRON lui
bench NOUN,m banc
it PRON il
glasses NOUN,fp lunettes
pants NOUN,m pantalon
old ADJ,before vieux/vieille/vieux/vieilles
shorts NOUN,m short
stage NOUN,f scène
sit VERB sont assis
carrying VERB portant
walk VERB marchent/marcher
couple NOUN,m couple
baby NOUN,m bébé
them PRON eux
bicycle NOUN,m vélo
side NOUN,m côté
face NOUN,m visage
" PUNCT "
tree NOUN,m arbre
male NOUN,m homme
pool NOUN,f piscine
race NOUN,f course
taking VERB prenant
rock NOUN,m rocher
each DET chaque
doing VERB faisant
watching VERB regardant
across ADP à travers
head NOUN,f tête
jeans NOUN,m jean
dirt NOUN,f terre
guy NOUN,m homme
area NOUN,f zone
there PRON il y
blond ADJ blond/blonde/blonds/blondes
jumps VERB saute
hands NOUN,fp mains
boat NOUN,m bateau
female NOUN,f femme
day NOUN,m jour
ground NOUN,m sol
performing VERB jouant
room NOUN,f pièce
back NOUN,m dos
baseball NOUN,m baseball
eating VERB mangeant
who PRON qui
being AUX étant
football NOUN,m football
coat NOUN,m manteau
using VERB utilisant
kids NOUN,mp enfants
suit NOUN,m costume
under ADP sous
striped ADJ rayé/rayée/rayés/rayées
watch VERB regardent/regarder
many DET beaucoup de
band NOUN,m groupe
mouth NOUN,f bouche
purple ADJ violet/violette/violets/violettes
sign NOUN,m panneau
horse NOUN,m cheval
store NOUN,m magasin
this DET ce/cette/ces/ces
long ADJ,before long/longue/longs/longues
he PRON il
sand NOUN,m sable
runs VERB court
tennis NOUN,m tennis
players NOUN,mp joueurs
sunglasses NOUN,fp lunettes de soleil
construction NOUN,f construction
look VERB regardent/regarder
reading VERB lisant
clothing NOUN,mp vêtements
microphone NOUN,m micro
mountain NOUN,f montagne
toy NOUN,m jouet
ocean NOUN,m océan
dark ADJ sombre/sombre/sombres/sombres
basketball NOUN,m basket
during ADP pendant
its DET son/sa/ses/ses
workers NOUN,mp ouvriers
middle NOUN,m milieu
watches VERB regarde
t-shirt NOUN,m t-shirt
uniform NOUN,m uniforme
climbing VERB escaladant
past ADP devant
elderly ADJ âgé/âgée/âgés/âgées
helmet NOUN,m casque
against ADP contre
restaurant NOUN,m restaurant
train NOUN,m train
window NOUN,f fenêtre
dancing VERB dansant
rides VERB fait
team NOUN,f équipe
they PRON ils
about ADP sur
chair NOUN,f chaise
work VERB travaillent/travailler
be AUX être
posing VERB posant
trees NOUN,mp arbres
wooden ADJ en bois
having VERB ayant
outdoor ADJ extérieur/extérieure/extérieurs/extérieures
five NUM cinq
waiting VERB attendant
covered VERB couvert
swimming VERB nageant
getting VERB recevant
all DET tout/toute/tous/toutes
"""
