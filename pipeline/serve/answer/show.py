"""Show a game by its number: deal it and draw it in one of the forms.

In: a game number, the game's record and the form. Out: text, or the bytes of a PNG.
"""

from pipeline.games import Game
from pipeline.serve.answer.forms import Form
from pipeline.serve.draw.svg import picture_svg, svg_png
from pipeline.serve.draw.text import picture_json, picture_text, picture_unicode


def show_game(game_number: int, game: Game, form: Form, colour: bool = False) -> str | bytes:
    """Draw one game: text, or bytes for a PNG; ``colour`` paints the red suits of the form `unicode` by terminal codes.

    Raises GameNumberError for a number that the game does not have, and Failed for a PNG where the extra that makes it is not installed.
    """
    layout = game.layout(game_number)
    picture = game.picture(layout, f"{game.title} game {game_number}")
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
