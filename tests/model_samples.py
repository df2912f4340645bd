"""Ten small models, as a program writes them: for `torch` itself or for its dialect, which `models` is given."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

NAMES = ("resnet", "gpt", "lstm", "vae", "unet", "vit", "mixer", "gcn", "wavenet", "diffusion")


def models(torch: Any, nn: Any) -> dict[str, Any]:
    """Return functions by the names of models: each makes the model, its inputs, a target and the loss."""
    F = nn.functional

    class Residual(nn.Module):
        def __init__(self, channels: int) -> None:
            super().__init__()
            self.conv1 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
            self.bn1 = nn.BatchNorm2d(channels)
            self.conv2 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
            self.bn2 = nn.BatchNorm2d(channels)

        def forward(self, x):
            y = F.relu(self.bn1(self.conv1(x)))
            y = self.bn2(self.conv2(y))
            return F.relu(x + y)

    class ResNet(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.stem = nn.Conv2d(3, 4, 3, padding=1)
            self.blocks = nn.Sequential(Residual(4), Residual(4))
            self.fc = nn.Linear(4, 3)

        def forward(self, x):
            x = self.blocks(self.stem(x))
            return self.fc(x.mean(dim=(2, 3)))

    class Attention(nn.Module):
        def __init__(self, width: int, heads: int, causal: bool) -> None:
            super().__init__()
            self.c_attn = nn.Linear(width, 3 * width)
            self.c_proj = nn.Linear(width, width)
            self.heads, self.causal = heads, causal

        def forward(self, x):
            batch, count, width = x.shape
            q, k, v = self.c_attn(x).split(width, dim=2)
            q = q.view(batch, count, self.heads, width // self.heads).transpose(1, 2)
            k = k.view(batch, count, self.heads, width // self.heads).transpose(1, 2)
            v = v.view(batch, count, self.heads, width // self.heads).transpose(1, 2)
            y = F.scaled_dot_product_attention(q, k, v, is_causal=self.causal)
            y = y.transpose(1, 2).contiguous().view(batch, count, width)
            return self.c_proj(y)

    class MLP(nn.Module):
        def __init__(self, width: int, inner: int) -> None:
            super().__init__()
            self.c_fc = nn.Linear(width, inner)
            self.c_proj = nn.Linear(inner, width)

        def forward(self, x):
            return self.c_proj(F.gelu(self.c_fc(x)))

    class Block(nn.Module):
        def __init__(self, width: int, heads: int, causal: bool = True) -> None:
            super().__init__()
            self.ln_1 = nn.LayerNorm(width)
            self.attn = Attention(width, heads, causal)
            self.ln_2 = nn.LayerNorm(width)
            self.mlp = MLP(width, 4 * width)

        def forward(self, x):
            x = x + self.attn(self.ln_1(x))
            return x + self.mlp(self.ln_2(x))

    class GPT(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.wte = nn.Embedding(11, 8)
            self.wpe = nn.Embedding(6, 8)
            self.h = nn.ModuleList([Block(8, 2) for _ in range(2)])
            self.ln_f = nn.LayerNorm(8)
            self.lm_head = nn.Linear(8, 11, bias=False)
            self.lm_head.weight = self.wte.weight

        def forward(self, idx):
            pos = torch.arange(idx.shape[1])
            x = self.wte(idx) + self.wpe(pos)
            for block in self.h:
                x = block(x)
            x = self.ln_f(x)
            return self.lm_head(x)

    class LSTM(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.lstm = nn.LSTM(3, 4, batch_first=True)
            self.out = nn.Linear(4, 2)

        def forward(self, x):
            y, _ = self.lstm(x)
            return self.out(y[:, -1])

    class VAE(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.encoder = nn.Sequential(nn.Linear(6, 5), nn.ReLU())
            self.mu = nn.Linear(5, 2)
            self.logvar = nn.Linear(5, 2)
            self.decoder = nn.Sequential(nn.Linear(2, 5), nn.ReLU(), nn.Linear(5, 6))

        def forward(self, x, noise):
            h = self.encoder(x)
            mu, logvar = self.mu(h), self.logvar(h)
            z = mu + noise * torch.exp(0.5 * logvar)
            return torch.sigmoid(self.decoder(z)), mu, logvar

    class UNet(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.down = nn.Conv2d(2, 3, 3, padding=1)
            self.middle = nn.Conv2d(3, 3, 3, padding=1)
            self.up = nn.ConvTranspose2d(3, 3, 2, stride=2)
            self.out = nn.Conv2d(6, 2, 1)

        def forward(self, x):
            skip = F.relu(self.down(x))
            y = F.relu(self.middle(F.max_pool2d(skip, 2)))
            y = torch.cat([skip, self.up(y)], dim=1)
            return self.out(y)

    class ViT(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.patch = nn.Conv2d(3, 8, 2, stride=2)
            self.cls = nn.Parameter(torch.zeros(1, 1, 8))
            self.pos = nn.Parameter(torch.zeros(1, 5, 8))
            self.blocks = nn.Sequential(Block(8, 2, False), Block(8, 2, False))
            self.norm = nn.LayerNorm(8)
            self.head = nn.Linear(8, 3)

        def forward(self, x):
            x = self.patch(x).flatten(2).transpose(1, 2)
            x = torch.cat([self.cls.expand(x.shape[0], -1, -1), x], dim=1) + self.pos
            x = self.norm(self.blocks(x))
            return self.head(x[:, 0])

    class MixerBlock(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.norm_1, self.tokens = nn.LayerNorm(6), MLP(4, 5)
            self.norm_2, self.channels = nn.LayerNorm(6), MLP(6, 7)

        def forward(self, x):
            y = self.tokens(self.norm_1(x).transpose(1, 2)).transpose(1, 2)
            x = x + y
            return x + self.channels(self.norm_2(x))

    class Mixer(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layers = nn.ModuleList([MixerBlock() for _ in range(3)])
            self.head = nn.Linear(6, 2)

        def forward(self, x):
            for layer in self.layers:
                x = layer(x)
            return self.head(x.mean(dim=1))

    class GraphConv(nn.Module):
        def __init__(self, n: int, m: int) -> None:
            super().__init__()
            self.weight = nn.Parameter(torch.ones(n, m) * 0.3)
            self.bias = nn.Parameter(torch.zeros(m))

        def forward(self, x, edges):
            x = edges @ (x @ self.weight)
            return x + self.bias

    class GCN(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.conv1, self.conv2 = GraphConv(3, 4), GraphConv(4, 2)

        def forward(self, x, edges):
            x = torch.relu(self.conv1(x, edges))
            return F.log_softmax(self.conv2(x, edges), dim=1)

    class Gate(nn.Module):
        def __init__(self, channels: int, dilation: int) -> None:
            super().__init__()
            self.pad = dilation
            self.filter = nn.Conv1d(channels, channels, 2, dilation=dilation)
            self.gate = nn.Conv1d(channels, channels, 2, dilation=dilation)
            self.mix = nn.Conv1d(channels, channels, 1)

        def forward(self, x):
            padded = F.pad(x, (self.pad, 0))
            y = torch.tanh(self.filter(padded)) * torch.sigmoid(self.gate(padded))
            return x + self.mix(y)

    class WaveNet(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first = nn.Conv1d(1, 3, 1)
            self.gates = nn.ModuleList([Gate(3, 2**i) for i in range(3)])
            self.out = nn.Conv1d(3, 1, 1)

        def forward(self, x):
            x = self.first(x)
            for gate in self.gates:
                x = gate(x)
            return self.out(F.relu(x))

    class Denoiser(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.time = nn.Sequential(nn.Linear(4, 6), nn.SiLU(), nn.Linear(6, 6))
            self.first = nn.Linear(5, 6)
            self.norm = nn.GroupNorm(2, 6)
            self.last = nn.Linear(6, 5)

        def forward(self, x, step):
            rates = torch.exp(torch.arange(2) * (-math.log(100.0) / 2))
            angles = step[:, None] * rates[None]
            embedded = self.time(torch.cat([angles.sin(), angles.cos()], dim=1))
            h = F.silu(self.norm(self.first(x) + embedded))
            return self.last(h)

    rng = np.random.default_rng(0)

    def normal(*shape: int) -> Any:
        return torch.from_numpy(rng.normal(size=shape).astype("float32"))

    def classes(n: int, *shape: int) -> Any:
        return torch.from_numpy(rng.integers(0, n, shape))

    def cross(found: Any, y: Any) -> Any:
        return F.cross_entropy(found.reshape(-1, found.shape[-1]), y.reshape(-1))

    def squared(found: Any, y: Any) -> Any:
        return F.mse_loss(found, y)

    def elbo(found: Any, x: Any) -> Any:
        image, mu, logvar = found
        kl = -0.5 * torch.mean(1 + logvar - mu.pow(2) - logvar.exp())
        return F.binary_cross_entropy(image, torch.sigmoid(x)) + kl

    edges = np.eye(4, dtype="float32") * 0.5 + 0.125
    found: dict[str, Any] = {
        "resnet": lambda: (ResNet(), (normal(2, 3, 4, 4),), classes(3, 2), cross),
        "gpt": lambda: (GPT(), (classes(11, 2, 5),), classes(11, 2, 5), cross),
        "lstm": lambda: (LSTM(), (normal(2, 3, 3),), normal(2, 2), squared),
        "vae": lambda: (VAE(), (x := normal(3, 6), normal(3, 2)), x, elbo),
        "unet": lambda: (UNet(), (normal(1, 2, 4, 4),), normal(1, 2, 4, 4), squared),
        "vit": lambda: (ViT(), (normal(2, 3, 4, 4),), classes(3, 2), cross),
        "mixer": lambda: (Mixer(), (normal(2, 4, 6),), classes(2, 2), cross),
        "gcn": lambda: (GCN(), (normal(4, 3), torch.from_numpy(edges)), classes(2, 4), F.nll_loss),
        "wavenet": lambda: (WaveNet(), (normal(1, 1, 6),), normal(1, 1, 6), squared),
        "diffusion": lambda: (Denoiser(), (normal(3, 5), normal(3)), normal(3, 5), squared),
    }
    return found
