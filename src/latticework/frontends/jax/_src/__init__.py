"""Names of JAX that are private and that packages import nevertheless: what stands for them here."""
