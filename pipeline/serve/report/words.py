"""Words and numbers that the sections of the report share.

In: figures. Out: text.
"""

from pipeline.serve.report.figures import Figures, Row, RuleSet


def main_verdict(figures: Figures) -> Row | None:
    """The verdicts that the page speaks of: those of the solutions that tell difficulty."""
    chosen = figures.difficulty_of
    return next(
        (
            row
            for row in figures.verdicts
            if chosen and RuleSet(row["freecells"], row["automove"], row["effort"], row["source"]) == chosen
        ),
        None,
    )


def mean_of(rows: list[Row]) -> float:
    """Mean of a distribution."""
    return float(sum(row["value"] * row["games"] for row in rows) / sum(row["games"] for row in rows))


def games_text(count: int) -> str:
    """Say how many games."""
    return f"{count:,} game{'' if count == 1 else 's'}"


def cells_text(count: int) -> str:
    """Say how many cells."""
    return f"{count} cell{'' if count == 1 else 's'}"


def place_text(name: str) -> str:
    """Say a place by its name, such as c3r1."""
    return f"column {name[1]}, row {name[3]}"


def listed_text(texts: list[str]) -> str:
    """Join texts as a list in a sentence."""
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}" if texts else "none"
