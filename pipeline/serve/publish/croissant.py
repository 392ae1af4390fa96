"""The Croissant description of a dataset: croissant.json.

In: a `Publication`. Out: JSON-LD text. The vocabulary is that of the Croissant format, version 1.0 (MLCommons, 2024).
"""

import json
from typing import Any, Final

import pyarrow as pa

from pipeline.serve.publish.published import Configuration, Publication
from pipeline.tables.declared import Column

# The terms of the official context, which readers compare with; most of them are not used here.
_TERMS: Final = (
    *("citeAs", "column", "equivalentProperty", "extract", "field", "fileObject", "fileProperty", "fileSet", "format"),
    *("includes", "isLiveDataset", "jsonPath", "key", "md5", "parentField", "path", "recordSet", "references", "regex"),
    *("repeated", "replace", "samplingRate", "separator", "source", "subField", "transform"),
)


def _context() -> dict[str, Any]:
    return {
        "@language": "en",
        "@vocab": "https://schema.org/",
        "sc": "https://schema.org/",
        "cr": "http://mlcommons.org/croissant/",
        "rai": "http://mlcommons.org/croissant/RAI/",
        "dct": "http://purl.org/dc/terms/",
        "conformsTo": "dct:conformsTo",
        "data": {"@id": "cr:data", "@type": "@json"},
        "examples": {"@id": "cr:examples", "@type": "@json"},
        "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
        **{name: f"cr:{name}" for name in _TERMS},
    }


def croissant_json(published: Publication, title: str, description: str, licence_url: str) -> str:
    """Write croissant.json: a set of files and a record set for each configuration, a field for each column."""
    configurations = published.configurations
    return (
        json.dumps(
            {
                "@context": _context(),
                "@type": "sc:Dataset",
                "name": title,
                "description": description,
                "conformsTo": "http://mlcommons.org/croissant/1.0",
                "license": licence_url,
                "citeAs": title,
                "version": published.manifest.made_with.get("dealbook", "0"),
                "distribution": [_files(c) for c in configurations],
                "recordSet": [_records(c) for c in configurations],
            },
            indent=1,
            ensure_ascii=False,
        )
        + "\n"
    )


def _files(configuration: Configuration) -> dict[str, Any]:
    return {
        "@type": "cr:FileSet",
        "@id": f"{configuration.name}-files",
        "name": f"{configuration.name}-files",
        "description": f"Parquet files of {configuration.name}, {configuration.rows} rows.",
        "encodingFormat": "application/x-parquet",
        "includes": configuration.pattern,
    }


def _records(configuration: Configuration) -> dict[str, Any]:
    table = configuration.table
    return {
        "@type": "cr:RecordSet",
        "@id": configuration.name,
        "name": configuration.name,
        "description": f"One row a {table.row}. {table.description}",
        "field": [_field(configuration, column) for column in table.columns],
    }


def _field(configuration: Configuration, column: Column) -> dict[str, Any]:
    return {
        "@type": "cr:Field",
        "@id": f"{configuration.name}/{column.name}",
        "name": column.name,
        "description": column.description + (f" Unit: {column.unit}." if column.unit else ""),
        "dataType": _data_type(column),
        "source": {"fileSet": {"@id": f"{configuration.name}-files"}, "extract": {"column": column.name}},
    }


def _data_type(column: Column) -> str:
    if column.type == pa.string():
        return "sc:Text"
    if column.type == pa.bool_():
        return "sc:Boolean"
    # Readers by way of pandas meet integers with nulls as floating-point numbers, NaN for null.
    return "sc:Float" if column.nullable else "sc:Integer"
