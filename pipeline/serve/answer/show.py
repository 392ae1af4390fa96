"""Show a game by its number: deal it and draw it in one of the forms.

In: a game number and the names of the game and the form. Out: text, or the bytes of a PNG.
"""

from pipeline.games.freecell.deal.microsoft import deal
from pipeline.games.freecell.deal.special import SPECIAL_LAYOUTS
from pipeline.games.klondike.deal import deal_klondike
from pipeline.serve.answer.forms import Form, Game
from pipeline.serve.draw.svg import picture_svg, svg_png
from pipeline.serve.draw.text import freecell_picture, klondike_picture, picture_json, picture_text, picture_unicode


def show_game(game_number: int, game: Game, form: Form, colour: bool = False) -> str | bytes:
    """Draw one game: text, or bytes for a PNG; ``colour`` paints the red suits of the form `unicode` by terminal codes.

    FreeCell's special layouts have the numbers -1 and -2. Raises GameNumberError for a number that the game does not have, and Failed
    for a PNG where the extra that makes it is not installed.
    """
    if game is Game.KLONDIKE:
        layout = deal_klondike(game_number)[0]
        picture = klondike_picture(layout, f"Klondike game {game_number}")
    else:
        layout = SPECIAL_LAYOUTS[game_number] if game_number in SPECIAL_LAYOUTS else deal(game_number)[0]
        picture = freecell_picture(layout, f"FreeCell game {game_number}")
    match form:
        case Form.TEXT:
            return picture_text(picture)
        case Form.UNICODE:
            return picture_unicode(picture, colour)
        case Form.JSON:
            return picture_json(picture, game_number, layout)
        case Form.SVG:
            return picture_svg(picture)
        case Form.PNG:
            return svg_png(picture_svg(picture))
