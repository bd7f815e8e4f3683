"""Words as recall looks for them: identifiers taken apart, common words left out, forms of English words folded."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate
from unicodedata import normalize

from verifflowcc.base.model.lazy import lazy_pattern

# Everyday words of English: in a few technical texts rare by chance, and still saying little about them.

EVERYDAY = frozenset(
    """
abl actual add almost along alreadi alway anoth anyon anyth ask away back bad becom begin behind believ big bite bring
call care case chang choos clear come common complet consid creat current day deal decid differ difficult easi els end
enough ensur even ever everi everyon everyth exampl exist expect explain far feel few find first follow full general
get give go good great group hand happen hard head hear help hold idea import includ instead issu keep kind know larg
last late later learn least leav less let like line littl live long look lose lot low main make matter mean meet mind
month move name near need never new next noth number often old open order perhap person place plan point possibl
probabl problem put question quit rather read real reason remain rest right room run say second see seem send set
sever show side simpl sinc small someon someth sometim soon sort speak special stand start stay still stop sure take
talk tell thing think third though time today togeth top tri turn understand upon usual wait want way week well
whether whole without wonder word work worth write wrong year yes yet
""".split()
)
"""Their terms, as `stems` makes them: a command has no time to make them again."""


# Words of daily life that people put for each other: of one meaning or family, and what is a kind of something.

_ALIKE = """
child kid son daughter toddler babi; mother mom mum; parent mom dad mother father; grandmoth grandma granni; grandfath
grandpa; husband wife spous partner; sibl brother sister; friend buddi pal; movi film; pictur photo photograph imag
snapshot; paint artwork; vacat holiday trip getaway; trip travel journey visit; job career profess occup; car vehicl;
bike bicycl; home hous apart; pet dog cat puppi kitten; dog puppi pup; buy purchas; gift present; parti celebr; wed
marri marriag; doctor physician; ill sick diseas; sad upset unhappi; happi glad joy thrill excit; afraid scare fear;
angri mad; tire exhaust; favorit favourit love; enjoy love; hobbi pastim interest; meal dinner lunch breakfast; cook
bake recip; food dish meal cuisin; exercis workout gym; jog marathon; hike trail; school colleg universiti; teacher
professor; student pupil; studi cours class; song music track; band musician concert; concert gig; instrument guitar
piano violin drum; book novel; author writer; citi town; countri nation; ocean sea beach; forest wood; mountain peak;
kilomet km; assist support; fast quick; goal aim target dream; win award prize; contest competit tournament; rais
fundrais; compani busi firm startup; boss manag; team crew; event gather; meetup appoint; speech present; letter mail;
comput laptop pc; money cash; cost price expens; build construct; repair fix mend; break damag; advic tip suggest
recommend; teach lesson; creativ art; paint draw sketch; potteri clay ceram; garden plant flower; swim pool; camp tent;
religion faith church; neighbor neighbour; color colour; relax unwind; stress anxieti; therapi counsel therapist
counselor; born birth birthday; die death pass; aunt aunti; grandchild grandson granddaught grandkid; boyfriend
girlfriend partner date; engag propos fianc fiance; divorc separ breakup; pregnant pregnanc; roommat flatmat; colleagu
cowork workmat; client custom; salari wage incom pay; hire recruit; promot rais; retir pension; interview appli applic;
fire laid layoff; volunt shelter chariti communiti; donat chariti fundrais; hospit clinic; medicin medic drug pill;
nurs doctor; dentist tooth; surgeri oper; injuri hurt wound accid; pain ach hurt; headach migrain; diet weight nutrit;
vegetarian vegan; sleep nap bed; yoga medit; walk stroll; climb climber boulder; bike cycl ride; swim swimmer; footbal
soccer; match game; coach trainer; champion championship titl; medal trophi award prize; fan support; actor actress
star; director filmmak; seri tv; televis tv; comic manga; poem poetri poet; stori tale; sing singer vocal; danc dancer
ballet; theater theatr play; museum galleri exhibit; sculptur statu; knit sew crochet; craft handmad; photograph
photographi camera; airplan plane flight fli; airport flight; train railway; hotel hostel inn motel; suitcas luggag
pack; passport visa; abroad oversea foreign; beach coast shore seasid; lake river; sunset sunris; snow ski snowboard;
rain storm; hot warm heat; cold freez chilli; spring summer; flower blossom bloom bouquet; tree forest; bird parrot;
fish aquarium; hors poni ride; farm farmer; veget veggi; fruit appl banana berri; sweet candi chocol; pastri cake
bread; restaur cafe diner; coffe cafe; recip cook ingredi; grill bbq barbecu; beer wine drink bar pub; shirt tshirt;
cloth outfit dress wear fashion; shoe boot sneaker; jewelri necklac ring bracelet; purs bag backpack; furnitur tabl
chair couch sofa; kitchen cook; bathroom shower bath; clean tidi; rent leas landlord; mortgag loan debt; save budget;
invest stock; bank account; polic cop offic; lawyer attorney; law legal court; armi militari soldier veteran;
politician polit elect vote campaign; church worship pray faith; god pray spiritu; holiday festiv; anniversari
birthday; funer grief mourn; memori rememb remind memor; share post; messag text; email mail; websit site onlin web;
internet onlin; app softwar program; programm develop coder engin; robot ai; scienc scientist research; math mathemat;
languag spanish french; degre diploma graduat; exam test; scholarship grant; kindergarten preschool daycar; homework
assign; lab laboratori; offic workplac; shop boutiqu store mall; sell sale; advertis market; bill invoic; rich wealthi;
poor homeless; elder senior; young youth teen teenag kid; man guy male; woman ladi femal; gay lesbian lgbtq queer
transgend; orphan adopt; immigr refuge; nativ origin root hometown; cultur tradit heritag; member join; neighborhood
area communiti; garden yard backyard; tool equip gear; machin devic gadget; journal diari notebook; toy doll lego;
puzzl jigsaw; chess boardgam; card poker; videogam consol xbox playstat nintendo game gamer; tattoo pierc; hair
haircut; makeup cosmet
"""
_KINDS = """
pet: dog cat puppi kitten hamster rabbit bird fish turtl hors; anim: dog cat bird hors fish bear wolf rabbit turtl
snake; instrument: guitar piano violin drum clarinet flute trumpet saxophon cello bass ukulel; sport: footbal soccer
basketbal tenni basebal hockey golf swim volleybal cricket rugbi ski surf; activ: hike swim camp paint danc yoga climb
bike ski surf cook; hobbi: paint hike cook garden photographi danc knit music; food: pizza pasta cake bread soup salad
chicken fish chees burger sushi steak rice chocol cooki; dessert: cake cooki pie chocol pud icecream tart; drink: coffe
tea wine beer juic water soda; vehicl: car truck bike motorcycl van bus boat; relat: mother father brother sister aunt
uncl cousin grandma grandpa grandmoth grandfath mom dad; famili: mother father brother sister husband wife son daughter
kid mom dad child aunt uncl cousin grandma grandpa; sibl: brother sister; parent: mother father mom dad; child: son
daughter kid; color: red blue green yellow purpl pink orang black white brown; season: summer winter spring autumn
fall; weather: rain snow sun storm wind; countri: america england franc spain itali germani japan china india canada
mexico australia brazil sweden ireland; state: california texa florida oregon washington michigan; citi: york london
pari tokyo rome boston chicago seattl; art: paint draw sculptur potteri photographi sketch; music: song band guitar
piano concert sing jazz rock classic; book: novel author stori; movi: film watch; game: play chess consol card; job:
teacher doctor nurs engin lawyer chef design manag writer; ill: cold flu fever cancer asthma allergi diabet; injuri:
hurt break sprain ankl knee; cloth: shirt dress shoe jacket hat jean; jewelri: necklac ring bracelet earring; subject:
math histori scienc english; degre: bachelor master phd graduat; holiday: christma easter thanksgiv halloween; exercis:
yoga gym swim weight; martial: karat judo taekwondo kickbox; plant: flower tree tomato; emot: happi sad excit nervous
proud scare angri grate; outdoor: hike camp beach park trail mountain fish climb kayak; natur: forest mountain lake
river beach hike trail tree anim park; event: concert festiv parad confer workshop parti wed fair; ceremoni: wed
graduat funer; destin: beach pari london itali japan island; accessori: necklac ring hat scarf bag; tool: hammer drill
brush; furnitur: tabl chair couch sofa bed desk shelf; applianc: oven fridg stove dishwash; devic: phone laptop comput
tablet watch camera; platform: facebook instagram youtub twitter blog tiktok; genr: rock jazz pop classic fantasi
mysteri romanc horror comedi; cuisin: italian chines mexican indian japanes thai french; languag: spanish french german
italian chines japanes english; religion: christian muslim jewish buddhist hindu church; bird: parrot eagl owl; flower:
tulip sunflow lili daisi; fruit: appl banana orang strawberri grape mango; veget: carrot tomato potato onion pepper
lettuc; meat: chicken beef pork steak; snack: chip cooki popcorn candi; seafood: fish shrimp salmon; breed: labrador
poodl shepherd retriev huski; danc: ballet salsa tango hiphop contemporari; craft: potteri knit sew paint woodwork;
disast: flood fire earthquak hurrican storm; crime: steal theft rob; transport: car bus train bike plane; materi: wood
metal glass clay plastic; role: actor manag leader; career: job engin teacher writer counselor; board: chess monopoli
catan; member: mother father brother sister; item: gift; chariti: donat volunt homeless fundrais; organiz: chariti
compani nonprofit; volunt: shelter homeless chariti; setback: injuri fail hurt; challeng: struggl; financi: money debt
loan cost budget; health: doctor sick hospit exercis diet; educ: school colleg degre studi; symptom: pain fever cough
headach; physic: exercis gym sport; creativ: paint draw music; project: build; relationship: date boyfriend girlfriend
marri wife husband partner singl; status: singl marri divorc; ident: transgend gay lesbian
"""
"""Who asks for the first of these means the others too, and not the other way round. All are as `stems` makes them."""


@lru_cache(maxsize=1)
def _alike() -> dict[str, dict[str, None]]:
    found: dict[str, dict[str, None]] = {}
    for group in _ALIKE.split(";"):
        words = group.split()
        for word in words:
            found.setdefault(word, {}).update(dict.fromkeys(words))
    for line in _KINDS.split(";"):
        kind, _, words_of_kind = line.partition(":")
        found.setdefault(kind.strip(), {}).update(dict.fromkeys(words_of_kind.split()))
    return found


def alike(term: str) -> tuple[str, ...]:
    """Return the terms of everyday words that an answer may have where a question has this one.

    >>> alike("sibl"), alike("brother"), alike("sqlite")
    (('brother', 'sister'), ('sibl', 'sister'), ())
    """
    return tuple(each for each in _alike().get(term, ()) if each != term)


# The stem of an English word, by Porter's second algorithm as its author publishes it ("English", Snowball 3).
#
# https://snowballstem.org/algorithms/english/stemmer.html. Words are lower-case ASCII letters. R1 is what stands
# behind the first consonant that follows a vowel, R2 the same within R1; a `y` that is a consonant is written `Y`
# in the meantime.

_VOWELS = frozenset("aeiouy")
_AFTER_VOWEL = lazy_pattern(r"[aeiouy][^aeiouy]")
_SHORT_ENDS = frozenset("aeiouyYwx")
_R1_BEGINS = ("arsen", "commun", "emerg", "gener", "inter", "later", "organ", "past", "univers")
_WHOLE = {
    "skis": "ski", "skies": "sky", "idly": "idl", "gently": "gentl", "ugly": "ugli", "early": "earli", "only": "onli",
    "singly": "singl",
} | {word: word for word in ("andes", "atlas", "bias", "cosmos", "howe", "news", "sky")}  # fmt: skip
_KEEPS_EED = ("succ", "proc", "exc")
_KEEPS_ING = ("even", "cann", "inn", "earr", "herr", "out")
_DOUBLES = frozenset(("bb", "dd", "ff", "gg", "mm", "nn", "pp", "rr", "tt"))
_BEFORE_LI = frozenset("cdeghkmnrt")

_STEP_2 = {
    "tional": "tion", "enci": "ence", "anci": "ance", "abli": "able", "entli": "ent", "izer": "ize", "ization": "ize",
    "ational": "ate", "ation": "ate", "ator": "ate", "alism": "al", "aliti": "al", "alli": "al", "fulness": "ful",
    "ousli": "ous", "ousness": "ous", "iveness": "ive", "iviti": "ive", "biliti": "ble", "bli": "ble", "ogist": "og",
    "ogi": "og", "fulli": "ful", "lessli": "less", "li": "",
}  # fmt: skip
_STEP_3 = {
    "tional": "tion", "ational": "ate", "alize": "al", "icate": "ic", "iciti": "ic", "ical": "ic", "ful": "",
    "ness": "", "ative": "",
}  # fmt: skip
_STEP_4 = frozenset("al ance ence er ic able ible ant ement ment ent ism ate iti ous ive ize ion".split())
_LONGEST = 7


def stem(word: str) -> str:
    """Return the stem of a word.

    >>> [stem(word) for word in ("rules", "generalised", "hoping", "hopping", "queries", "yearly")]
    ['rule', 'generalis', 'hope', 'hop', 'queri', 'year']
    """
    whole = _WHOLE.get(word)
    if whole is not None or len(word) < 3:
        return word if whole is None else whole
    marked = _marked(word) if "y" in word else word
    r1 = 0
    if marked.startswith(_R1_BEGINS):
        r1 = next(len(begin) for begin in _R1_BEGINS if marked.startswith(begin))
    r1 = r1 or _region(marked, 0)
    r2 = _region(marked, r1)
    found = _step_1b(_step_1a(marked), r1)
    if found[-1] in "yY" and len(found) > 2 and found[-2] not in _VOWELS:
        found = f"{found[:-1]}i"
    found = _step_3(_step_2(found, r1), r1, r2)
    return _step_5(_step_4(found, r2), r1, r2).replace("Y", "y")


def _marked(word: str) -> str:
    """A word in which each `y` that begins it or follows a vowel is `Y`."""
    letters = list(word)
    for place, letter in enumerate(letters):
        if letter == "y" and (place == 0 or letters[place - 1] in _VOWELS):
            letters[place] = "Y"
    return "".join(letters)


def _region(word: str, begin: int) -> int:
    """Where the region behind the next consonant after a vowel begins; the end of the word where there is none."""
    found = _AFTER_VOWEL.search(word, begin)
    return found.end() if found else len(word)


def _has_vowel(text: str) -> bool:
    return not _VOWELS.isdisjoint(text)


def _ends_short(text: str) -> bool:
    """Say whether a text ends with a short syllable."""
    if len(text) == 2:
        return text[0] in _VOWELS and text[1] not in _VOWELS
    if text.endswith("past"):
        return True
    return len(text) > 2 and text[-1] not in _SHORT_ENDS and text[-2] in _VOWELS and text[-3] not in _VOWELS


def _step_1a(word: str) -> str:
    if not word.endswith(("s", "ied")):
        return word
    if word.endswith("sses"):
        return word[:-2]
    if word.endswith(("ied", "ies")):
        return word[:-2] if len(word) > 4 else word[:-1]
    if word.endswith(("us", "ss")):
        return word
    return word[:-1] if _has_vowel(word[:-2]) else word


def _step_1b(word: str, r1: int) -> str:
    for end in ("eedly", "eed"):
        if word.endswith(end):
            before = word[: -len(end)]
            return f"{before}ee" if len(before) >= r1 and before not in _KEEPS_EED else word
    if word.endswith("ing"):
        before = word[:-3]
        if before in _KEEPS_ING:
            return word
        if len(before) == 2 and before[1] == "y" and before[0] not in _VOWELS:
            return f"{before[0]}ie"
        return _mended(before, r1) if _has_vowel(before) else word
    for end in ("edly", "ingly", "ed"):
        if word.endswith(end):
            before = word[: -len(end)]
            return _mended(before, r1) if _has_vowel(before) else word
    return word


def _mended(word: str, r1: int) -> str:
    """A word that lost its ending, with the `e` or without the double letter that it had before it got one."""
    end = word[-2:]
    if end in ("at", "bl", "iz"):
        return f"{word}e"
    if end in _DOUBLES:
        return word if len(word) == 3 and word[0] in "aeo" else word[:-1]
    return f"{word}e" if len(word) == r1 and _ends_short(word) else word


def _step_2(word: str, r1: int) -> str:
    for length in range(min(_LONGEST, len(word)), 1, -1):
        end = word[-length:]
        if end in _STEP_2:
            before = word[:-length]
            if len(before) < r1 or (end == "ogi" and before[-1:] != "l"):
                return word
            if end == "li" and before[-1:] not in _BEFORE_LI:
                return word
            return before + _STEP_2[end]
    return word


def _step_3(word: str, r1: int, r2: int) -> str:
    for length in range(min(_LONGEST, len(word)), 2, -1):
        end = word[-length:]
        if end in _STEP_3:
            before = word[:-length]
            return before + _STEP_3[end] if len(before) >= (r2 if end == "ative" else r1) else word
    return word


def _step_4(word: str, r2: int) -> str:
    for length in range(min(5, len(word)), 1, -1):
        end = word[-length:]
        if end in _STEP_4:
            before = word[:-length]
            return word if len(before) < r2 or (end == "ion" and before[-1:] not in ("s", "t")) else before
    return word


def _step_5(word: str, r1: int, r2: int) -> str:
    before = word[:-1]
    if word.endswith("e"):
        return before if len(before) >= r2 or (len(before) >= r1 and not _ends_short(before)) else word
    return before if word.endswith("ll") and len(before) >= r2 else word


# Words of a text for matching: lower case, identifiers taken apart, common words left out.

_TERMS_WORD = lazy_pattern(r"[^\W_]+")
_TERMS_HUMP = lazy_pattern(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_TERMS_COMMON = frozenset(
    "a about above after all also an and any are as at be because been but by can could did do does for from had has "
    "have how if in into is it its may more most must no not of on one only or other our out over should so some such "
    "than that the their them then there these they this to up us use used using was we were what when where which who "
    "why will with would you your".split()
)


def terms(text: str) -> list[str]:
    """Return the terms of `text` in order, repeated as they occur.

    >>> terms("Use the HTTPServer in rate_limits.py")
    ['http', 'server', 'rate', 'limit', 'py']
    """
    return [term for word in _TERMS_WORD.findall(text) for term in _terms_of(word)]


@lru_cache(maxsize=65_536)
def _terms_of(word: str) -> tuple[str, ...]:
    """A word's terms; texts repeat their words, so most are known."""
    parts = _TERMS_HUMP.findall(word) if word.isascii() else [word]
    stems = (_terms_stem(part.casefold()) for part in parts)
    return tuple(stem for stem in stems if len(stem) > 1 and stem not in _TERMS_COMMON)


def _terms_stem(word: str) -> str:
    """Fold the plural: enough for names and headings; recall proper stems further."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


_WORD = lazy_pattern(r"[^\W_]+(?:['’][^\W_]+)*")
_JOINED = lazy_pattern(r"[\w-]+(?:['’][^\W_]+)*")
_HYPHENED = lazy_pattern(r"(?<![\w-])[A-Za-z]{1,20}(?:-[A-Za-z]{1,20}){1,3}(?![\w-])")
_HUMP = lazy_pattern(r"[A-Z]{2,}(?=s(?![A-Za-z]))|[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
"""The parts of an identifier; of `URLs` all but the s of the plural."""
_SUFFIX = lazy_pattern(r"['’](?:s|t|ve|ll|re|d|m)$", re.IGNORECASE)
_COMMON = frozenset(
    "a an the of to in on at for and or but is are was were be been am do does did has have had with as by it its that "
    "this these those he she his her him they them their i you we me my your our us what when where which who whom "
    "whose why how if in so than then there would could should will can may might not no from into about s t ve ll re "
    "d m some any also just very really too more most much many all both each other such only own same out up down "
    "over again after before during while because until between through being having doing don didn isn wasn aren one "
    "here must use used using".split()
)
_FORMS = """went gone goes=go bought=buy made=make took taken=take gave given=give saw seen=see came=come
knew known=know thought=think found=find told=tell became=become left=leave felt=feel brought=bring begun began=begin
kept=keep held=hold wrote written=write stood=stand heard=hear meant=mean met=meet ran=run paid=pay sat=sit
spoke spoken=speak led=lead grew grown=grow lost=lose fell fallen=fall sent=send built=build understood=understand
drew drawn=draw broke broken=break spent=spend rose risen=rise drove driven=drive wore worn=wear chose chosen=choose
ate eaten=eat won=win taught=teach caught=catch sang sung=sing swam swum=swim flew flown=fly rode ridden=ride
slept=sleep sold=sell fought=fight threw thrown=throw forgot forgotten=forget drank drunk=drink stole stolen=steal
hid hidden=hide bit bitten=bite fed=feed shot=shoot dreamt=dream learnt=learn said=say children=child men=man
women=woman people=person feet=foot teeth=tooth mice=mouse wives=wife lives=life knives=knife worse worst=bad
better best=good woke woken=wake blew blown=blow froze frozen=freeze hung=hang sought=seek shown=show shook shaken=shake
swept=sweep tore torn=tear struck=strike stuck=stick dug=dig swung=swing bound=bind bent=bend lent=lend dealt=deal
shrank shrunk=shrink spun=spin got gotten=get overrode overridden=override rebuilt=rebuild reran=rerun
rewrote rewritten=rewrite withdrew withdrawn=withdraw indices=index vertices=vertex matrices=matrix"""
_IRREGULAR = {
    form: base for forms, base in re.findall(r"([a-z ]+)=([a-z]+)", _FORMS.replace("\n", " ")) for form in forms.split()
}


def words_of(text: str) -> list[str]:
    """Return the words of a text as they are written, identifiers and hyphened words whole.

    >>> words_of("Why rate_limits in the set-up?")
    ['Why', 'rate_limits', 'in', 'the', 'set-up']
    """
    return [word for word in _JOINED.findall(_composed(text)) if word.strip("_-")]


def stems(text: str) -> list[str]:
    """Return the terms of a text, repeated as they occur: hyphened words as one first, then all in order.

    A word with capitals or digits in it is there in its parts and as a whole, since people write `SQLite` and `sqlite`.

    >>> stems("Why do we call the SQLite store in rate_limits.py, which wrote the set-up?")
    ['setup', 'call', 'sq', 'lite', 'sqlite', 'store', 'rate', 'limit', 'py', 'write', 'set']
    """
    text = _composed(text)
    found = [_stem(joined.replace("-", "").casefold()) for joined in _HYPHENED.findall(text)]
    for word in _WORD.findall(text):
        found += _stems_of(word)
    return found


def _composed(text: str) -> str:
    """The same text, letters with their marks as one: people's machines write them either way."""
    return text if text.isascii() else normalize("NFC", text)


@lru_cache(maxsize=65_536)
def _stems_of(word: str) -> tuple[str, ...]:
    bare = _SUFFIX.sub("", word)
    if not bare.isascii():
        parts = re.split("['’]", bare)
    elif bare.isalnum() and len(humps := _HUMP.findall(bare)) > 1:
        parts = [*humps, bare]
    else:
        parts = _HUMP.findall(bare)
    return tuple(_stem(part.casefold()) for part in parts if part and part.casefold() not in _COMMON)


@lru_cache(maxsize=65_536)
def _stem(word: str) -> str:
    if not word.isascii() or word.isdigit():
        return word
    return stem(_IRREGULAR.get(word, word))


class JoinedTexts:
    """Many texts, looked through as one: thousands of short ones take a tenth of the time that they take one by one."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._whole = "\n".join(texts)
        self._starts = [0, *accumulate([len(text) + 1 for text in texts])]

    def having(self, part: str, fits: Callable[[str, int], object] | None = None) -> Iterator[int]:
        """Yield the place of each text that has a part, which is not empty and of one line.

        `fits` may say, by the whole and where in it the part is, that it does not count there.

        >>> list(JoinedTexts(["a gate", "no", "gates, gate"]).having("gate"))
        [0, 2]
        """
        at = self._whole.find(part)
        while at >= 0:
            if fits is None or fits(self._whole, at):
                place = bisect_right(self._starts, at)
                yield place - 1
                at = self._starts[place] - 1
            at = self._whole.find(part, at + 1)
