"""Documents found by compiled code are those that the plain reader finds, piece by piece."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.cards.errors import NotationError
from pipeline.games.freecell.deal.microsoft import board_rows
from pipeline.games.freecell.notation.bulk_documents import scan_documents
from pipeline.games.freecell.notation.document import HORNE, game_position
from pipeline.games.freecell.notation.standard import read_each
from pipeline.games.freecell.notation.standard_write import moves_text

MOVES = " 57 57 51 6a\n 8b.18 81\n"


def layout(game):
    return "\n".join(" ".join(row) for row in board_rows(game)) + "\n"


PIECES = [
    *(
        "GAME #4\n",
        "game #617 \n",
        "Game #8589934591\n",
        "GAME #8589934592\n",
        "GAME #-1\n",
        "GAME #4 again\n",
        "GAME #\n",
    ),
    *(
        " 57 57 51\n",
        MOVES,
        ".57.5a 6h\n",
        " 57  5a\n",
        "57 5a\n",
        "57 .5a\n",
        " 57 5x\n",
        " 57 5e\n",
        " 57[5a]\n",
        " [**]\n",
        "\t57\n",
    ),
    *(layout(4), layout(617), layout(4).replace("\n", "\n\n"), layout(4)[:60] + "\n", "3S-QH-JH-  +4H 3D\n"),
    *("\n", "  \n", "# comment\n", "is solved as follows:\n", "4H\n", "...\n", "57", " 57"),
]
PLAIN = [
    f"GAME #{game}\n{shown}{moves}" for game in (4, 617) for shown in ("", layout(game)) for moves in (" 57\n", MOVES)
]


def seen(document):
    return document.game_number, moves_text(document.moves), document.line, document.rules


def read_piecewise(text):
    """Every document of a text, its plain ones by the compiled code, and how many these are."""
    data = text.encode()
    found = scan_documents(np.frombuffer(data, np.uint8))
    documents = []
    for i in range(found.line.size):
        before = int(found.line[i]) - 1
        if found.is_plain[i]:
            moves = bytes(found.text[found.offsets[i] : found.offsets[i + 1]]).decode()
            documents.append((int(found.game_number[i]), moves, before + 1, HORNE))
            continue
        piece = data[found.starts[i] : found.ends[i]].decode()
        documents += [
            "unreadable" if isinstance(one, NotationError) else (*seen(one)[:2], one.line + before, one.rules)
            for one in read_each(piece)
        ]
    return documents, int(found.is_plain.sum())


@settings(max_examples=600, deadline=None, derandomize=True)
@given(
    st.lists(st.one_of(st.sampled_from(PLAIN), st.sampled_from(PIECES)), max_size=8),
    st.sampled_from(["\n", "\r\n", "\r"]),
)
def test_pieces_hold_the_documents_of_the_whole(pieces, ending):
    text = "".join(pieces).replace("\n", ending)
    whole = list(read_each(text))
    documents, _ = read_piecewise(text)
    if [str(one) for one in whole] == ["no game number, layout or moves found"]:
        assert all(one == "unreadable" for one in documents)
    else:
        expected = ["unreadable" if isinstance(one, NotationError) else seen(one) for one in whole]
        assert documents == expected


def test_plain_documents_are_read_by_the_compiled_code():
    documents, plain = read_piecewise("".join(PLAIN))
    assert plain == len(PLAIN) == len(documents)
    whole = list(read_each("".join(PLAIN)))
    assert documents == [seen(one) for one in whole]
    assert all(one.shown in (None, game_position(one.game_number)) for one in whole)


def test_a_layout_of_another_game_is_left_to_the_plain_reader():
    _, plain = read_piecewise(f"GAME #4\n{layout(617)}{MOVES}GAME #4\n{layout(4)}{MOVES}")
    assert plain == 1
