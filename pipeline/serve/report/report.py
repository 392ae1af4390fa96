"""Write the report of a dataset: one page of HTML, and its charts as PNG and SVG.

In: a catalog and where to write. Out: files.
"""

from importlib.metadata import version
from pathlib import Path

from pipeline.serve.report.charts import draw_charts
from pipeline.serve.report.figures import gather
from pipeline.serve.report.klondike import gather_klondike, klondike_charts, klondike_page
from pipeline.serve.report.page import page
from pipeline.serve.sql.catalog import Catalog


def write_report(catalog: Catalog, out: Path, charts: Path | None = None) -> list[Path]:
    """Write the page to ``out`` and, where ``charts`` names a folder, every chart there as SVG and as PNG; returns what was written.

    Raises ConfigError for a dataset without layouts and statistics, and Failed where the extra `report` is not installed.
    """
    dataset = Path(catalog.store.url).name
    if "klondike" in catalog.present:
        of_klondike = gather_klondike(catalog)
        drawn = klondike_charts(of_klondike)
        text = klondike_page(of_klondike, drawn, dataset, version("dealbook"))
    else:
        figures = gather(catalog)
        drawn = draw_charts(figures)
        text = page(figures, drawn, dataset, version("dealbook"))
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(text, encoding="utf-8")
    written = [out]
    if charts is not None:
        import vl_convert

        charts.mkdir(parents=True, exist_ok=True)
        for name, chart in drawn.items():
            (charts / f"{name}.svg").write_text(chart.light(), encoding="utf-8")
            (charts / f"{name}.png").write_bytes(vl_convert.svg_to_png(chart.light(), scale=2))
            written += [charts / f"{name}.svg", charts / f"{name}.png"]
    return written
