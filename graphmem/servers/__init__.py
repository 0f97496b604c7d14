"""The embedded Postgres and Neo4j, and `up`, which supervises them."""
