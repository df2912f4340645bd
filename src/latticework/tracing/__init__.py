"""Programs as graphs of native calls: recorded, simplified, written as source, kept."""
