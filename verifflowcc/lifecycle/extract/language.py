"""Which language a turn is in, as far as that says whether the rules can read it: they read English."""

import re
from collections.abc import Mapping
from functools import lru_cache

_WORDS: Mapping[str, frozenset[str]] = {
    "German": frozenset(
        "der die das den dem des ein eine einen einem und oder nicht kein keine ist sind wird werden wurde wir "
        "ihr sie ich du er "
        "mit auf für von zu im zum zur bei nach aus über unter vor immer niemals nie bitte benutze verwende "
        "verwenden nutzen "
        "nutze unsere unser unseren mein meine auch aber wenn dass als läuft statt alle jede jeder jedes sollte "
        "muss müssen "
        "darf dürfen kann können haben hat beträgt liegt nur noch schon sehr diese dieser dieses direkt vom am "
        "ans".split()
    ),
    "French": frozenset(
        "le la les un une des du de et ou ne pas jamais toujours est sont être nous vous ils elles je tu il "
        "elle avec sur pour "
        "dans par au aux notre nos votre vos mon ma mes ce cette ces que qui utilise utiliser utilisons "
        "utilisez doit doivent "
        "faut chaque tous toutes sans sous chez plus très aussi mais si comme c'est n'utilise l'api où dépasser".split()
    ),
    "Spanish": frozenset(
        "el la los las un una unos unas del de y o no nunca siempre es son está están nosotros usted ellos yo "
        "tú con en para "
        "por nuestro nuestra nuestros mi mis este esta que quien usa usar usamos use debe deben cada todos "
        "todas sin sobre muy "
        "también pero si como se al lo hay hagas haga en lugar guardan guarda".split()
    ),
    "Italian": frozenset(
        "il lo la i gli le un uno una del della dei delle di e o non mai sempre è sono noi voi loro io tu con "
        "su per nel nella "
        "nostro nostra nostri mio mia questo questa che chi usa usare usiamo deve devono ogni tutti tutte senza "
        "sotto molto "
        "anche ma se come si al alla fare in da dal".split()
    ),
    "Portuguese": frozenset(
        "o a os as um uma uns umas do da dos das de e ou não nunca sempre é são está estão nós eles eu você com "
        "em para por no na "
        "nosso nossa nossos meu minha este esta que quem usa usar usamos use deve devem cada todos todas sem "
        "sobre muito também "
        "mas se como ao há".split()
    ),
    "Dutch": frozenset(
        "de het een en of niet geen nooit altijd is zijn wordt worden wij we jullie zij ik jij hij met op voor "
        "van naar in bij "
        "onze ons mijn dit deze dat die gebruik gebruiken moet moeten mag elke alle zonder onder zeer ook maar "
        "als".split()
    ),
    "Swedish": frozenset(
        "den det en ett och eller inte aldrig alltid är vi ni de jag du han hon med på för av till vår vårt "
        "våra min mitt detta "
        "dessa som använd använder måste får varje alla utan under mycket också men om ska".split()
    ),
    "Polish": frozenset(
        "i lub nie nigdy zawsze jest są my wy oni ja ty on ona z na dla od do w nasz nasza nasze mój ten ta to "
        "który używaj "
        "używamy musi muszą każdy wszystkie bez pod bardzo także ale jeśli się po przy".split()
    ),
}  # fmt: skip
_ENGLISH = frozenset(
    "the a an and or not no never always is are was were be we you they i he she it with on for of to in at by "
    "from our your my "
    "this that these those which who use uses used using must should every all each without but if as do does "
    "don't have has "
    "please keep will can so then than when there what how now only into instead any let make sure need".split()
)
_TOKEN = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`|https?://\S+", re.DOTALL)
OTHER_SCRIPT = "another script"


@lru_cache(maxsize=256)
def unread_language(text: str) -> str:
    """Return the language of a text that the rules do not read; "" for English, and where that is not clear.

    >>> [unread_language(each) for each in ("Wir verwenden es als Cache.", "We use Postgres.", "使う")]
    ['German', '', 'another script']
    """
    words = [each.casefold() for each in _TOKEN.findall(_CODE.sub(" ", text.replace("’", "'"))[:4_000])]
    letters = "".join(words)
    if letters and 3 * sum(ord(each) > 0x24F for each in letters) >= len(letters):
        return OTHER_SCRIPT
    english = sum(each in _ENGLISH for each in words)
    counts = {name: len({each for each in words if each in known}) for name, known in _WORDS.items()}
    best = max(counts, key=lambda name: (counts[name], name))
    own = sum(each in _WORDS[best] and each not in _ENGLISH for each in words)
    return best if own >= 2 and own > english else ""
