"""A small GPT that is trained, kept in a checkpoint, trained on, and sampled, as users of PyTorch write it.

The imports name the dialect; with ``torch`` in its place it runs on PyTorch itself. The first weights are sines, so
that both begin with the same numbers.
"""

import io
import math

import latticework.frontends.torch as torch
from latticework.frontends.torch import nn
from latticework.frontends.torch.nn import functional as F  # noqa: N812

TEXT = "the cat sat on the mat, and the rat sat on the cat. "


class Attention(nn.Module):
    """Causal attention with several heads."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv, self.out = nn.Linear(width, 3 * width, bias=False), nn.Linear(width, width, bias=False)

    def forward(self, x):
        batch, length, width = x.size()
        q, k, v = (
            part.view(batch, length, self.heads, width // self.heads).transpose(1, 2)
            for part in self.qkv(x).split(width, dim=2)
        )
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(y.transpose(1, 2).contiguous().view(batch, length, width))


class Block(nn.Module):
    """Attention and a perceptron, each beside a path around it."""

    def __init__(self, width, heads):
        super().__init__()
        self.norm1, self.attention, self.norm2 = nn.LayerNorm(width), Attention(width, heads), nn.LayerNorm(width)
        self.perceptron = nn.Sequential(
            nn.Linear(width, 4 * width, bias=False), nn.GELU(), nn.Linear(4 * width, width, bias=False)
        )

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.perceptron(self.norm2(x))


class GPT(nn.Module):
    """The scores of each character as the next one; with targets, the loss too."""

    def __init__(self, vocabulary, context=8, width=16, heads=2, layers=1):
        super().__init__()
        self.context = context
        self.token, self.position = nn.Embedding(vocabulary, width), nn.Embedding(context, width)
        self.blocks = nn.ModuleList([Block(width, heads) for _ in range(layers)])
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, vocabulary, bias=False)
        self.token.weight = self.head.weight
        with torch.no_grad():
            for number, p in enumerate(self.parameters()):
                if p.dim() > 1:
                    p.copy_(torch.sin(torch.arange(p.numel()) * (number + 1.7)).view(p.shape) / width**0.5)

    def forward(self, x, targets=None):
        y = self.token(x) + self.position(torch.arange(x.size(1), device=x.device))
        for block in self.blocks:
            y = block(y)
        logits = self.head(self.norm(y))
        loss = None if targets is None else F.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1))
        return logits, loss

    @torch.no_grad()
    def generate(self, x, count):
        """Append the likeliest character, one after the other."""
        for _ in range(count):
            logits, _ = self(x[:, -self.context :])
            x = torch.cat((x, logits[:, -1].argmax(dim=-1, keepdim=True)), dim=1)
        return x


def new_training(model, rate, steps):
    """The optimiser, which decays matrices alone, and the schedule of its rate: a rise, then a half of a cosine."""
    groups = [
        {"params": [p for p in model.parameters() if p.dim() >= 2], "weight_decay": 0.1},
        {"params": [p for p in model.parameters() if p.dim() < 2], "weight_decay": 0.0},
    ]
    optimizer = torch.optim.AdamW(groups, lr=rate, betas=(0.9, 0.95))

    def factor(step):
        return (step + 1) / 3 if step < 2 else 0.1 + 0.45 * (1 + math.cos(math.pi * step / steps))

    return optimizer, torch.optim.lr_scheduler.LambdaLR(optimizer, factor)


def train(model, optimizer, schedule, data, first, last):
    """Train from a step to another one; return the losses."""
    losses = []
    for step in range(first, last):
        starts = [(7 * step + 5 * row) % (len(data) - model.context - 1) for row in range(4)]
        x = torch.stack([data[i : i + model.context] for i in starts])
        y = torch.stack([data[i + 1 : i + 1 + model.context] for i in starts])
        _, loss = model(x, y)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        losses.append(loss.item())
    return losses


def main(steps=8):
    """Train, save after half of the steps, go on from what was saved, and write."""
    letters = sorted(set(TEXT))
    data = torch.tensor([letters.index(c) for c in TEXT * 2])
    model = GPT(len(letters))
    optimizer, schedule = new_training(model, 0.02, steps)
    losses = train(model, optimizer, schedule, data, 0, steps // 2)

    file = io.BytesIO()
    torch.save(
        {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "schedule": schedule.state_dict()}, file
    )
    file.seek(0)
    saved = torch.load(file)

    model = GPT(len(letters))
    model.load_state_dict(saved["model"])
    optimizer, schedule = new_training(model, 0.02, steps)
    optimizer.load_state_dict(saved["optimizer"])
    schedule.load_state_dict(saved["schedule"])
    losses += train(model, optimizer, schedule, data, steps // 2, steps)

    model.eval()
    written = "".join(letters[i] for i in model.generate(data[None, :4], 12)[0].tolist())
    return {"losses": losses, "rate": optimizer.param_groups[0]["lr"], "written": written}


if __name__ == "__main__":
    print(main(steps=60))
