"""One game or board, solved shortly and shown, with what is proved of its length.

In: a position and `ShortSettings`. Out: an outcome, replayed, as text, as a row of `solutions`, and in a sentence.
"""

from dataclasses import dataclass
from typing import Any

from pipeline.cards.errors import Failed
from pipeline.games.freecell.notation.document import Document
from pipeline.games.freecell.rules.automove import AutomoveRule
from pipeline.games.freecell.rules.position import Position
from pipeline.games.freecell.rules.replay import Replay, replay
from pipeline.games.freecell.solve.outcome import IMPOSSIBLE, IMPOSSIBLE_UNDER_RULE, SHORT_STATUSES, SOLVER
from pipeline.games.freecell.solve.short.solver import ShortOutcome, ShortSettings, ShortSolver, shorten_position
from pipeline.games.freecell.tables.short_solutions import proof_rules, whole_budget
from pipeline.games.freecell.tables.solutions import solution_record
from pipeline.serve.answer.solution import moves_text, parse_moves


@dataclass(frozen=True)
class ShortAnswer:
    """What became of a position: outcome, moves (None unless solved) and their replay."""

    settings: ShortSettings
    outcome: ShortOutcome
    moves: str | None
    found: Replay | None

    @property
    def status(self) -> str:
        """A word of `outcome.SHORT_STATUSES`."""
        is_so_under_rule = self.outcome.status == IMPOSSIBLE and self.outcome.has_other
        return SHORT_STATUSES[IMPOSSIBLE_UNDER_RULE if is_so_under_rule else self.outcome.status]


def shorten(position: Position, settings: ShortSettings) -> ShortAnswer:
    """Find a short solution of a position and replay it by the plain rules; raises Failed where it does not win."""
    outcome, moves = shorten_position(position, ShortSolver(settings))
    if moves is None:
        return ShortAnswer(settings, outcome, None, None)
    rule: AutomoveRule = settings.automove  # type: ignore[assignment]  # one of SHORT_RULES, as checked
    found = replay(position, parse_moves(moves), rule)
    if found.result != "won" or found.moves_left_over or found.move_count != outcome.length:
        raise Failed(
            f"the solver's own solution does not replay under automove {rule}: {found.reason or found.result}; this is "
            f"a defect: {moves}"
        )
    return ShortAnswer(settings, outcome, moves, found)


def short_text(game: Document, answer: ShortAnswer) -> str:
    """Write a solved game: layout and moves, as `solution.moves_text` does."""
    assert answer.moves is not None
    rule: AutomoveRule = answer.settings.automove  # type: ignore[assignment]  # one of SHORT_RULES, as checked
    return moves_text(game, parse_moves(answer.moves), rule)


def short_row(game: Document, answer: ShortAnswer) -> dict[str, Any]:
    """Lay an answer out as a row of `solutions`; a board that is no numbered game has no number."""
    outcome, found = answer.outcome, answer.found
    told = {
        "game_number": game.game_number,
        "freecells": answer.settings.freecells,
        "automove": answer.settings.automove,
        "status": answer.status,
        "moves": answer.moves,
        "move_count": found and found.move_count,
        "written_move_count": found and found.written_move_count,
        "card_move_count": found and found.card_move_count,
        "nodes": outcome.nodes,
        "budget": whole_budget(answer.settings),
        "tier": outcome.tier,
        "effort": answer.settings.effort,
        "lower_bound": outcome.lower_bound,
        "is_shortest": outcome.is_shortest,
        "proved_under": None if outcome.lower_bound is None else proof_rules(answer.settings.automove),
        "source": SOLVER,
    }
    return solution_record(told)


def verdict(name: str, answer: ShortAnswer) -> str:
    """Say in a sentence what is known of a game."""
    outcome, rule = answer.outcome, answer.settings.automove
    cost = f"{outcome.nodes:,} states searched"
    if outcome.steps is None:
        if answer.status == "impossible_under_automove":
            return f"{name} has no solution under automove {rule}, but one under --automove horne (proved, {cost})"
        is_proved = answer.status == "impossible"
        return f"{name} is {answer.status}{', by exhaustive search' if is_proved else ''} ({cost})"
    count = f"{name}: {outcome.length} moves"
    if outcome.lower_bound is None:
        return f"{count} under automove {rule}"
    rules = proof_rules(rule)
    if outcome.is_shortest:
        return f"{count}, proved the fewest ({rules}; {cost})"
    return f"{count}, not proved the fewest: it takes {outcome.lower_bound} or more ({rules}; {cost})"
