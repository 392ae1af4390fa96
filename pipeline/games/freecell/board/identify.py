"""Identify a layout from its text: what a person holds -> game numbers.

In: board texts in every form that is read, `??` for cards that are not known. Out: the matches, and notes on the text.
"""

import numpy as np
from numpy.typing import NDArray

from pipeline.cards.codes import CARDS, COLUMNS
from pipeline.cards.errors import BoardError
from pipeline.games.freecell.board.board import MAX_FREECELLS, Board, Reading
from pipeline.games.freecell.board.read import read_board
from pipeline.games.freecell.board.words import UNKNOWN_NAME
from pipeline.games.freecell.deal.identify import Match, identify


def identify_text(text: str) -> tuple[list[Match], tuple[str, ...]]:
    """Find the game numbers that deal a board text; returns them as `identify` does, and the reader's notes.

    A text that shows some cards only has `??` for the others, or leaves out the last rows. Raises BoardError for a text that is no board,
    a position that is no layout as dealt, and a layout that shows too few cards.
    """
    reading = _read(text)
    return identify(layout_of_board(reading.board)), reading.notes


def _read(text: str) -> Reading:
    if UNKNOWN_NAME in text:
        return read_board(text, partial=True, freecells=MAX_FREECELLS)
    try:
        return read_board(text, freecells=MAX_FREECELLS)  # how many stand empty beside a layout does not matter
    except BoardError:
        try:
            return read_board(text, partial=True, freecells=MAX_FREECELLS)
        except BoardError:
            pass
        raise  # what is wrong with it as a whole board


def layout_of_board(board: Board) -> NDArray[np.uint8]:
    """List the cards of a board as uint8[52] in deal order; raises BoardError for a position in the middle of a game."""
    if not board.is_layout:
        home, in_cells = sum(board.foundations), sum(card >= 0 for card in board.freecells)
        lengths = " ".join(str(len(column)) for column in board.columns)
        raise BoardError(
            [
                "a position in the middle of a game has no number, only a layout as dealt: "
                f"cards home: {home}, in freecells: {in_cells}, in the columns: {lengths} instead of 7 7 7 7 6 6 6 6"
            ]
        )
    layout = np.empty(CARDS, np.uint8)
    for column, cards in enumerate(board.columns):
        layout[column::COLUMNS] = cards
    return layout
