"""Rules of neural network layers."""

from __future__ import annotations
