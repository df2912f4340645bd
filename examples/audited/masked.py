"""A mixture of two pictures by a mask, for PyTorch."""

import torch


def masked(image, chosen):
    chosen = chosen.to(image.device)
    return chosen * image.flip(-1) + (1 - chosen) * image


def augmented(image):
    chosen = torch.rand(image.shape[0], 1, 1) < 0.5
    return masked(image, chosen.float())
