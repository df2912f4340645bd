"""Plans: the dtypes, the casts and the kernel of a call, decided before it runs."""
