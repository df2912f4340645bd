"""Layers on JAX, each as one program."""

from __future__ import annotations

from ..compiled import compiled

gru_cell = compiled("nn.gru_cell")
_lstm_cell = compiled("nn._lstm_cell")
