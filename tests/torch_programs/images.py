"""Programs of PyTorch about images, and about which of them are alike."""

from __future__ import annotations

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


def batch(seed, *shape):
    return torch.from_numpy(np.random.default_rng(seed).standard_normal(shape).astype("float32"))


def residual(start):
    """A network of residual blocks, with a learning rate of one cycle."""

    class Block(nn.Module):
        def __init__(self, inside, outside, stride=1):
            super().__init__()
            self.conv1 = nn.Conv2d(inside, outside, 3, stride, 1, bias=False)
            self.bn1 = nn.BatchNorm2d(outside)
            self.conv2 = nn.Conv2d(outside, outside, 3, 1, 1, bias=False)
            self.bn2 = nn.BatchNorm2d(outside)
            self.relu = nn.ReLU(inplace=True)
            self.shortcut = nn.Sequential()
            if stride != 1 or inside != outside:
                self.shortcut = nn.Sequential(
                    nn.Conv2d(inside, outside, 1, stride, bias=False), nn.BatchNorm2d(outside)
                )

        def forward(self, x):
            out = self.relu(self.bn1(self.conv1(x)))
            out = self.bn2(self.conv2(out))
            out += self.shortcut(x)
            return self.relu(out)

    model = start(
        nn.Sequential(
            Block(2, 4), Block(4, 6, stride=2), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Dropout(0.0), nn.Linear(6, 3)
        )
    )
    decayed = [p for p in model.parameters() if p.ndim > 1]
    others = [p for p in model.parameters() if p.ndim <= 1]
    optimizer = torch.optim.SGD(
        [{"params": decayed, "weight_decay": 1e-2}, {"params": others, "weight_decay": 0.0}],
        lr=0.05, momentum=0.9, nesterov=True,
    )  # fmt: skip
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=0.1, total_steps=4)
    criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
    labels = torch.tensor([0, 2, 1, 0])
    losses = []
    for step in range(3):
        logits = model(batch(step, 4, 2, 6, 6))
        loss = criterion(logits, labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
        correct = logits.topk(2, dim=1).indices.eq(labels.view(-1, 1)).any(1).float().mean()
        losses += [loss.item(), correct.item()]
    model.eval()
    with torch.no_grad():
        return [*losses, model(batch(9, 2, 2, 6, 6)).std().item()]


def contrasts(start):
    """Two views of each image are to be alike, and unlike all others."""
    encoder = start(nn.Sequential(nn.Conv2d(1, 4, 3), nn.GELU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(16, 6)))
    optimizer = torch.optim.AdamW(encoder.parameters(), lr=1e-2)
    losses = []
    for step in range(3):
        images = batch(step, 4, 1, 6, 6)
        views = torch.cat([torch.flip(images, dims=[-1]), F.pad(images[..., 1:], (0, 1, 0, 0), mode="replicate")])
        z = F.normalize(encoder(views), dim=1)
        similar = z @ z.T / 0.5
        similar.fill_diagonal_(float("-inf"))
        count = len(images)
        target = torch.cat([torch.arange(count) + count, torch.arange(count)])
        loss = F.cross_entropy(similar, target)
        triplet = F.triplet_margin_loss(z[:2], z[count : count + 2], z[2:4], margin=0.5)
        (loss + triplet).backward()
        optimizer.step()
        optimizer.zero_grad()
        losses += [loss.item(), triplet.item()]
    return losses


def upscaling(start):
    """Makes images larger, and compares their edges too; the large network teaches a small one."""

    class Upscaler(nn.Module):
        def __init__(self, width):
            super().__init__()
            self.features = nn.Sequential(
                nn.Conv2d(1, width, 3, padding=1), nn.PReLU(), nn.Conv2d(width, 4, 3, padding=1)
            )
            self.shuffle = nn.PixelShuffle(2)

        def forward(self, x):
            base = F.interpolate(x, scale_factor=2, mode="bilinear", align_corners=False)
            return base + self.shuffle(self.features(x))

    teacher, student = start(Upscaler(6)), start(Upscaler(2))
    for p in teacher.parameters():
        p.requires_grad_(False)
    small, large = batch(1, 2, 1, 4, 4), batch(2, 2, 1, 8, 8)
    sobel = torch.tensor([[1.0, 0.0, -1.0], [2.0, 0.0, -2.0], [1.0, 0.0, -1.0]]).view(1, 1, 3, 3)
    optimizer = torch.optim.Adadelta(student.parameters(), lr=1.0)
    losses = []
    for _ in range(3):
        found, taught = student(small), teacher(small)
        loss = F.l1_loss(found, large) + 0.1 * F.huber_loss(F.conv2d(found, sobel), F.conv2d(large, sobel))
        log, soft = F.log_softmax(found.flatten(1), dim=1), F.softmax(taught.flatten(1), dim=1)
        loss = loss + F.kl_div(log, soft, reduction="batchmean")
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
