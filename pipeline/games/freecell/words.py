"""What is said of FreeCell to the readers of a dataset.

In: nothing. Out: texts.
"""

from typing import Final

from pipeline.games.game import CardWords

CARD: Final = CardWords(
    how_made="""Every layout is dealt by the algorithm of Microsoft FreeCell, as Jim Horne published it: a linear congruential generator
(state times 214013 plus 2531011, modulo 2^32) is started with the game number and picks card after card from a deck in the order of
clubs, diamonds, hearts, spades within aces to kings. The numbers are those that players know.""",
    biases=f"""- There are {2**33:,} numbered games among 52! = 8 * 10^67 deals: the games are a sample, and not a random one.
- A card is picked by a draw of 15 bits modulo the cards left. 52 does not divide 2^15, so some picks are up to 0.2 % likelier than others.
- Neighbouring games are related. The first draw of the next game is 3 or 4 higher (modulo 2^15), so the first card dealt walks through the
  deck, and the lowest bit of every draw repeats after 2^17 games. Do not take neighbours as independent: draw games at random, or use the
  splits, whose hash does not run in step with the generator.
- Games 2^31 to 2^32 - 1 and from 2^32 on draw with one bit more, by rules of their own.""",
)
