"""A diffusion model's sampler: its schedule, embeddings of time, guidance, and an image of bytes at the end."""

import math

import latticework.frontends.torch as torch


def schedule(steps):
    """The cumulative products of what is left of a signal after each step, by a cosine."""
    time = torch.linspace(0, 1, steps + 1, dtype=torch.float64)
    kept = torch.cos((time + 0.008) / 1.008 * math.pi / 2) ** 2
    beta = (1 - kept[1:] / kept[:-1]).clamp(max=0.999)
    return torch.cumprod(1 - beta, dim=0).to(torch.float32)


def embedding(time, size):
    """Sines and cosines of a time at several frequencies."""
    half = size // 2
    frequencies = torch.exp(-math.log(10000) * torch.arange(0, half, dtype=torch.float32) / half)
    angles = time[:, None].float() * frequencies[None]
    found = torch.cat([torch.cos(angles), torch.sin(angles)], dim=-1)
    return torch.cat([found, torch.zeros_like(found[:, :1])], dim=-1) if size % 2 else found


def noise_of(x, time, condition):
    """What stands for a network here: it looks at the image, its neighbours, the time and a condition."""
    near = (torch.roll(x, 1, dims=-1) + torch.roll(x, -1, dims=-2)) * 0.25
    scale = embedding(time, 7).mean(dim=1).view(-1, 1, 1, 1)
    return x * 0.6 + near * torch.tanh(scale) + 0.05 * condition.view(-1, 1, 1, 1).to(x.dtype)


def start(shape):
    n = torch.arange(math.prod(shape)).reshape(shape)
    return torch.sin(n * 12.9898) + torch.cos(n * 4.1414)


@torch.inference_mode()
def main():
    kept = schedule(50)
    x = start((2, 3, 6, 6))
    labels = torch.tensor([1, 4])
    times = torch.arange(49, -1, -7)
    for i, t in enumerate(times):
        both = torch.cat([x] * 2)
        condition = torch.cat([labels, torch.zeros_like(labels)])
        guess = noise_of(both, t.expand(both.shape[0]), condition)
        with_label, without = guess.chunk(2)
        guess = without + 3.0 * (with_label - without)
        now = kept[t]
        before = kept[times[i + 1]] if i + 1 < len(times) else torch.tensor(1.0)
        clean = ((x - (1 - now).sqrt() * guess) / now.sqrt()).clamp_(-1, 1)
        x = before.sqrt() * clean + (1 - before).sqrt() * guess
    image = ((x / 2 + 0.5).clamp(0, 1) * 255).round().to(torch.uint8).permute(0, 2, 3, 1)
    grey = (image.float() @ torch.tensor([0.299, 0.587, 0.114])).flatten(1)
    low, high = torch.aminmax(grey, dim=1)
    return {
        "bytes": image[0, :2].flatten().tolist(),
        "total": image.sum().item(),
        "means": grey.mean(1).tolist(),
        "spread": grey.std(dim=1).tolist(),
        "range": (high - low).tolist(),
        "dtype": str(image.dtype),
    }


if __name__ == "__main__":
    print(main())
