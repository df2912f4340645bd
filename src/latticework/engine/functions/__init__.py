"""Users' functions: as arguments of transformations, with the variables that they hold."""
