"""Publish a dataset: the card, the Croissant file, catalog.sql and the checksums, beside its data.

In: a dataset's store. Out: README.md, croissant.json, catalog.sql, SHA256SUMS.

All four are functions of the declared tables and the manifest: publishing again writes the same bytes.
"""

from pipeline.cards.errors import ConfigError
from pipeline.games import GAMES
from pipeline.run.dataset.manifest import MANIFEST, read_manifest, require_schema
from pipeline.run.dataset.store import Store, sha256
from pipeline.serve.publish.card import LICENCE_URL, card_text
from pipeline.serve.publish.croissant import croissant_json
from pipeline.serve.publish.published import describe
from pipeline.serve.sql.catalog import catalog_sql


def publish(store: Store, title: str | None = None) -> list[str]:
    """Write what a published dataset has beside its data, and name the files written.

    ``title`` is the name in the card; raises ConfigError where there is no dataset or nothing in it.
    """
    with store.locked():
        manifest = read_manifest(store)
        require_schema(store, manifest, tuple(manifest.tables))
        if not manifest.files:
            raise ConfigError(f"{store.url}: holds no files yet; `dealbook build --out {store.url}` writes them")
        published = describe(store, manifest)
        plan = manifest.plan
        games = f"{GAMES[manifest.game].numbering} games {plan.first:,} to {plan.last:,}"
        name = title or f"Dealbook: {games}"
        tables = ", ".join(c.name for c in published.configurations)
        texts = {
            "README.md": card_text(published, name),
            "croissant.json": croissant_json(
                published, name, f"{games}: numbered solitaire deals with {tables}.", LICENCE_URL
            ),
            "catalog.sql": catalog_sql(manifest),
        }
        for file, text in texts.items():
            store.write(file, text.encode())
        digests = {file: record.sha256 for file, record in manifest.files.items()}
        digests |= {file: sha256(text.encode()) for file, text in texts.items()}
        digests[MANIFEST] = sha256(store.read(MANIFEST))
        sums = "".join(f"{digest}  {file}\n" for file, digest in sorted(digests.items()))
        store.write("SHA256SUMS", sums.encode())
        store.sync()
    return [*texts, "SHA256SUMS"]
