"""Plans: whole ranges, no game twice, names that lead nowhere else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.cards.errors import ConfigError
from pipeline.run.dataset.plan import FileName, Part, Plan

plans = st.builds(
    lambda first, games, size: Plan(first, first + games, size),
    st.integers(0, 2**33),
    st.integers(0, 5000),
    st.integers(1, 700),
)


@given(plans)
def test_parts_cover_the_range_once(plan):
    games = [number for part in plan for number in range(part.start, part.stop)]
    assert games == list(range(plan.first, plan.last + 1))
    assert len(plan) == len(list(plan)) and plan.games == len(games)
    assert all(len(part) == plan.part_size for part in plan[:-1])


@given(plans, st.data())
def test_file_names_read_back(plan, data):
    part = data.draw(st.sampled_from(plan))
    variant = data.draw(st.sampled_from(["", "f4-horne-e0"]))
    assert FileName.parse(part.file_name("layouts", variant)) == FileName("layouts", variant, part)


@pytest.mark.parametrize(
    "name",
    [
        "../layouts/part-0000000001-0000000002.parquet",
        "/layouts/part-0000000001-0000000002.parquet",
        "layouts/../part-0000000001-0000000002.parquet",
        "layouts/part-0000000003-0000000002.parquet",
        "layouts/part-1-2.parquet",
        "layouts/part-0000000001-0000000002.parquet\n",
        "s3://other/part-0000000001-0000000002.parquet",
        "C:layouts/part-0000000001-0000000002.parquet",
    ],
)
def test_other_names_are_refused(name):
    with pytest.raises(ValueError, match="not the name of a part"):
        FileName.parse(name)


def test_whole_parts_of_a_sub_range():
    plan = Plan(1, 1000, 100)
    assert plan.parts_of(101, 300) == [Part(101, 201), Part(201, 301)]
    with pytest.raises(ConfigError, match=r"101\.\.300"):
        plan.parts_of(102, 300)
    with pytest.raises(ConfigError, match="not all in"):
        plan.parts_of(901, 1001)


def test_the_full_range_is_planned_without_listing_it():
    plan = Plan(1, 2**33 - 1, 1_000_000)
    assert len(plan) == 8590
    assert plan[-1].file_name("layouts") == "layouts/part-8589000001-8589934591.parquet"
