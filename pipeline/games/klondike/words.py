"""What is said of Klondike to the readers of a dataset.

In: nothing. Out: texts.
"""

from typing import Final

from pipeline.games.game import CardWords

CARD: Final = CardWords(
    how_made="""Every layout is dealt by the algorithm of a well-known 13-box Klondike program, driven by the `rand` of Microsoft's
C library started with the game number.""",
    biases="""- The numbered games are a sample of all deals, and not a random one: each is a function of its number.
- The generator's draws have 15 bits and are scaled to 0 .. 100, so some rotations of the pool are likelier than others.
- Neighbouring games are related by the generator: draw games at random, or use the splits.""",
)
