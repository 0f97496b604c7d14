"""How good recall is on questions whose answers are known: asked again, marked, compared, tuned."""
