"""SQL over a dataset: catalogue, views, macros, queries, prompt."""
