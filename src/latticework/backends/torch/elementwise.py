"""Elementwise functions on PyTorch."""

from __future__ import annotations

import torch

abs = torch.abs
add = torch.add
subtract = torch.subtract
multiply = torch.multiply
divide = torch.divide
cos = torch.cos
equal = torch.eq
