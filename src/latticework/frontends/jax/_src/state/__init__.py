"""Arrays that change, which are not here."""
