"""How good and how quick: the measures of `graphmem eval`, which benchmarks share with it."""

from graphmem.evaluate.measures import interval, median, ndcg, paired_interval, percentile, recall, reciprocal_rank

__all__ = ["interval", "median", "ndcg", "paired_interval", "percentile", "recall", "reciprocal_rank"]
