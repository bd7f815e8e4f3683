"""Everyday words of English: in a few technical texts rare by chance, and still saying little about them."""

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
"""Their terms, as `stems` makes them: a command has no time to make them anew."""
