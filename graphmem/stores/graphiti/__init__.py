"""Graphiti, asked to understand one episode: its prompts and decisions over our model, our indexes and our graph.

The only package that imports graphiti_core, which takes a second and 100 MB: to be imported when it is needed.

reader ──> Graphiti.add_episode ──┬──> clients      our language model and embedder, as Graphiti wants them
                                  └──> candidates   what the graph has that may be the same; nothing is written
"""

from graphmem.settings import calm_graphiti

calm_graphiti()
