"""Ways of finding candidates; each returns hits, best first."""
