"""Programs of PyTorch that generate: autoencoders, networks against each other, and diffusion."""

from __future__ import annotations

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def numbers(seed, *shape):
    return torch.from_numpy(np.random.default_rng(seed).standard_normal(shape).astype("float32"))


def autoencoder(start):
    """A variational autoencoder of images of 6 x 6."""

    class VAE(nn.Module):
        def __init__(self):
            super().__init__()
            self.encoder = nn.Sequential(nn.Flatten(), nn.Linear(36, 16), nn.ReLU())
            self.mu, self.logvar = nn.Linear(16, 3), nn.Linear(16, 3)
            self.decoder = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 36), nn.Unflatten(1, (1, 6, 6)))

        def forward(self, x, eps):
            h = self.encoder(x)
            mu, logvar = self.mu(h), self.logvar(h)
            return self.decoder(mu + eps * torch.exp(0.5 * logvar)), mu, logvar

    images = torch.sigmoid(numbers(0, 8, 1, 6, 6))
    model = start(VAE())
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    losses = []
    for epoch in range(2):
        for i, (x,) in enumerate(DataLoader(TensorDataset(images), batch_size=4)):
            found, mu, logvar = model(x, numbers(10 * epoch + i, len(x), 3))
            rebuilt = F.binary_cross_entropy_with_logits(found, x, reduction="sum")
            kld = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
            loss = rebuilt + kld
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses += [rebuilt.item(), kld.item()]
    return losses


def adversaries(start):
    """A generator and a discriminator with convolutions, trained in turns."""

    def weights_init(m):
        if isinstance(m, (nn.Conv2d, nn.ConvTranspose2d)):
            nn.init.normal_(m.weight, 0.0, 0.02)

    generator = nn.Sequential(
        nn.ConvTranspose2d(5, 8, 3, 1, 0, bias=False),
        nn.BatchNorm2d(8),
        nn.ReLU(True),
        nn.ConvTranspose2d(8, 1, 4, 2, 1, bias=False),
        nn.Tanh(),
    )
    discriminator = nn.Sequential(
        nn.Conv2d(1, 6, 4, 2, 1, bias=False),
        nn.LeakyReLU(0.2, inplace=True),
        nn.Conv2d(6, 1, 3, 1, 0, bias=False),
        nn.Flatten(0),
    )
    generator, discriminator = start(generator.apply(weights_init)), start(discriminator.apply(weights_init))
    criterion = nn.BCEWithLogitsLoss()
    of_d = torch.optim.Adam(discriminator.parameters(), lr=2e-3, betas=(0.5, 0.999))
    of_g = torch.optim.Adam(generator.parameters(), lr=2e-3, betas=(0.5, 0.999))
    losses = []
    for step in range(2):
        real, noise = torch.tanh(numbers(step, 4, 1, 6, 6)), numbers(step + 9, 4, 5, 1, 1)
        discriminator.zero_grad()
        on_real = criterion(discriminator(real), torch.ones(4))
        on_real.backward()
        fake = generator(noise)
        on_fake = criterion(discriminator(fake.detach()), torch.zeros(4))
        on_fake.backward()
        of_d.step()
        generator.zero_grad()
        fooled = criterion(discriminator(fake), torch.ones(4))
        fooled.backward()
        of_g.step()
        losses += [on_real.item(), on_fake.item(), fooled.item()]
    return [*losses, generator[1].running_var.mean().item()]


def diffusion(start):
    """Learns the noise in points, and draws points by taking it away step by step."""
    steps = 10
    betas = torch.linspace(1e-3, 0.2, steps)
    alphas = 1.0 - betas
    products = torch.cumprod(alphas, dim=0)

    class Denoiser(nn.Module):
        def __init__(self):
            super().__init__()
            self.net = nn.Sequential(nn.Linear(2 + 8, 16), nn.SiLU(), nn.Linear(16, 2))

        def forward(self, x, t):
            frequencies = torch.exp(-torch.arange(4, device=x.device) / 4 * np.log(100.0))
            angles = t[:, None].float() * frequencies[None]
            return self.net(torch.cat([x, angles.sin(), angles.cos()], dim=-1))

    model = start(Denoiser())
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    rng = np.random.default_rng(4)
    losses = []
    for i in range(3):
        x0, noise = numbers(i, 6, 2) * 0.1 + 1, numbers(i + 50, 6, 2)
        t = torch.as_tensor(rng.integers(0, steps, 6))
        scale = products[t].unsqueeze(-1)
        noisy = scale.sqrt() * x0 + (1 - scale).sqrt() * noise
        loss = F.mse_loss(model(noisy, t), noise)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())

    @torch.no_grad()
    def sample(count):
        x = numbers(99, count, 2)
        for t in reversed(range(steps)):
            found = model(x, torch.full((count,), t))
            x = (x - betas[t] / torch.sqrt(1 - products[t]) * found) / torch.sqrt(alphas[t])
            if t > 0:
                x += betas[t].sqrt() * numbers(t, count, 2)
        return x

    return [*losses, *sample(3).flatten().tolist()]
