"""Sinusoidal positions for PyTorch, of Vaswani et al., *Attention Is All You Need* (2017), section 3.5."""

import math

import torch


def positions(length, width):
    position = torch.arange(length).unsqueeze(1)
    rate = torch.exp(torch.arange(0, width, 2) * (-math.log(10000.0) / width))
    table = torch.zeros(length, width)
    table[:, 0::2] = torch.sin(position * rate)
    table[:, 1::2] = torch.cos(position * rate)
    return table
