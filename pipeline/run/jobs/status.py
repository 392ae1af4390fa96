"""What a dataset holds of what it is to hold, by its record alone.

In: a dataset. Out: one row for each variant of each table.
"""

from typing import Any

from pipeline.run.dataset.changes import planned_parts
from pipeline.run.dataset.dataset import Dataset


def status(dataset: Dataset) -> list[dict[str, Any]]:
    """Tell tables and variants, parts done of planned, rows, bytes and whether the schema is today's; raises ConfigError without one."""
    manifest, rows = dataset.manifest, []
    for table in sorted({*manifest.tables, *(file.table for file in dataset.all_files().values())}):
        for variant in dataset.variants(table) or [""]:
            files = dataset.files(table, variant)
            records = [manifest.files[name] for name in files]
            planned = planned_parts(manifest, table, variant)
            rows.append(
                {
                    "table": table,
                    "variant": variant,
                    "parts": len({file.part for file in files.values()} & planned),
                    "planned": len(planned),
                    "rows": sum(record.rows for record in records),
                    "bytes": sum(record.bytes for record in records),
                    "schema": "current" if manifest.is_current(table) else "another",
                }
            )
    return rows
