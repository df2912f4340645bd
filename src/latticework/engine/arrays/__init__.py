"""`Array`: its methods, its views, and the protocols by which libraries take it."""
