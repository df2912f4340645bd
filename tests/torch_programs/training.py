"""Programs of PyTorch about how training goes: precision, averages, hooks, functions of one's own, checkpoints."""

from __future__ import annotations

import copy
import tempfile
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.optim.swa_utils import SWALR, AveragedModel, get_ema_multi_avg_fn, update_bn
from torch.utils.data import DataLoader, Dataset


class Points(Dataset):
    """Points with the class of each."""

    def __init__(self, count):
        rng = np.random.default_rng(9)
        self.x = rng.standard_normal((count, 4)).astype(np.float32)
        self.y = (self.x.sum(1) > 0).astype(np.int64)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return torch.from_numpy(self.x[i]), int(self.y[i])


def network(norm=nn.Identity):
    return nn.Sequential(nn.Linear(4, 8), norm(8), nn.ReLU(), nn.Linear(8, 2))


def mixed_precision(start):
    """Computes in bfloat16 where that is enough, with a scaled loss."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = start(network()).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    scaler = torch.amp.GradScaler(device, init_scale=256.0)
    losses = []
    for x, y in DataLoader(Points(12), batch_size=4):
        x, y = x.to(device), y.to(device)
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast(device_type=device, dtype=torch.bfloat16):
            output = model(x)
            loss = F.cross_entropy(output, y)
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        losses += [loss.item(), float(output.dtype == torch.bfloat16), scaler.get_scale()]
    return losses


def accumulation(start):
    """Adds up the gradients of several batches before each step."""
    model = start(network(nn.LayerNorm))
    optimizer = torch.optim.NAdam(model.parameters(), lr=0.05)
    optimizer.zero_grad()
    losses, every = [], 2
    for i, (x, y) in enumerate(DataLoader(Points(14), batch_size=4, drop_last=True)):
        loss = F.cross_entropy(model(x), y, label_smoothing=0.1) / every
        loss.backward()
        losses.append(loss.item())
        if (i + 1) % every == 0:
            optimizer.step()
            optimizer.zero_grad()
    return losses


def averages(start):
    """Keeps averages of the weights: exponential ones, and those of SWA with its schedule."""
    model = start(network(nn.BatchNorm1d))
    loader = DataLoader(Points(12), batch_size=4)
    ema = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(0.9))
    swa = AveragedModel(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.2)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=4)
    constant = SWALR(optimizer, swa_lr=0.05, anneal_epochs=2)
    losses = []
    for epoch in range(2):
        for x, y in loader:
            optimizer.zero_grad()
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
            ema.update_parameters(model)
            losses.append(loss.item())
        if epoch > 0:
            swa.update_parameters(model)
            constant.step()
        else:
            scheduler.step()
    update_bn(loader, swa)
    swa.eval()
    ema.eval()
    x = torch.from_numpy(Points(12).x)
    return [*losses, ema(x).sum().item(), swa(x).sum().item(), optimizer.param_groups[0]["lr"]]


def hooks(start):
    """Looks into a network by hooks: outputs, gradients, and gradients that it changes."""
    model = start(network())
    seen = {}

    def remember(name):
        def hook(module, inputs, output):
            seen[name] = output.detach().abs().mean().item()

        return hook

    handles = [m.register_forward_hook(remember(name)) for name, m in model.named_modules() if name]
    handles.append(model[3].register_full_backward_hook(lambda m, gi, go: seen.update(back=go[0].norm().item())))
    model[3].weight.register_hook(lambda g: g.clamp(-0.05, 0.05))
    handles.append(model[2].register_forward_pre_hook(lambda m, inputs: (inputs[0] * 2,)))
    x, y = (torch.as_tensor(a) for a in (Points(6).x, Points(6).y))
    optimizer = torch.optim.Adagrad(model.parameters(), lr=0.1)
    losses = []
    for step in range(3):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        losses += [loss.item(), *seen.values(), model[3].weight.grad.abs().max().item()]
        if step == 1:
            for handle in handles:
                handle.remove()
    return losses


def functions(start):
    """Rounds in a network by a function with a derivative of its own, beside one that keeps less for its derivative."""

    class Round(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, levels):
            return torch.round(x * levels) / levels

        @staticmethod
        def backward(ctx, grad_output):
            return grad_output, None

    class Swish(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * torch.sigmoid(x)

        @staticmethod
        def backward(ctx, grad_output):
            (x,) = ctx.saved_tensors
            s = torch.sigmoid(x)
            return grad_output * s * (1 + x * (1 - s))

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second = nn.Linear(4, 8), nn.Linear(8, 2)

        def forward(self, x):
            return self.second(Round.apply(Swish.apply(self.first(x)), 8))

    assert torch.autograd.gradcheck(Swish.apply, (torch.linspace(-2, 2, 4, dtype=torch.float64, requires_grad=True),))
    model = start(Net())
    optimizer = torch.optim.Adamax(model.parameters(), lr=0.05)
    losses = []
    for x, y in DataLoader(Points(12), batch_size=4):
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def checkpoints(start):
    """Writes a checkpoint, and goes on from it as if it had not stopped."""
    model = start(network(nn.BatchNorm1d))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.5)

    def epoch(model, optimizer, scheduler):
        total = 0.0
        for x, y in DataLoader(Points(12), batch_size=6):
            optimizer.zero_grad()
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
            total += loss.item()
        scheduler.step()
        return total

    losses = [epoch(model, optimizer, scheduler)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "checkpoint.pt"
        state = {"epoch": 1, "model": model.state_dict(), "optimizer": optimizer.state_dict()}
        torch.save({**state, "scheduler": scheduler.state_dict(), "best": torch.tensor(losses[0])}, path)
        losses += [epoch(model, optimizer, scheduler) for _ in range(2)]
        resumed = network(nn.BatchNorm1d)
        optimizer = torch.optim.Adam(resumed.parameters(), lr=1.0)
        scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.5)
        checkpoint = torch.load(path, map_location="cpu", weights_only=True)
    resumed.load_state_dict(checkpoint["model"])
    optimizer.load_state_dict(checkpoint["optimizer"])
    scheduler.load_state_dict(checkpoint["scheduler"])
    again = [epoch(resumed, optimizer, scheduler) for _ in range(checkpoint["epoch"], 3)]
    assert np.allclose(again, losses[1:], atol=1e-6), (again, losses)
    kept = copy.deepcopy(resumed).state_dict()
    return [*losses, checkpoint["best"].item(), float(kept["1.num_batches_tracked"]), optimizer.param_groups[0]["lr"]]
