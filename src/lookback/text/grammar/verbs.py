"""The verbs: English, French, classes of the subject, classes of the object, marks.

English `write/wrote/written` gives an odd past and participle. A French verb with `+`
makes its perfect with *être*. Marks: s a state (its past is the imperfect), x no
passive, u what nobody wants to do, y no negation (*ne pas penser que* would ask for
the subjunctive).
Below dashes stand the verbs that only the full lexicon has.
"""

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
