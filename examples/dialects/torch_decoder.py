"""A decoder of one layer that writes tokens: rotary positions, grouped attention with a cache, a gated perceptron."""

import latticework.frontends.torch as torch


def weight(rows, columns, seed):
    """A matrix that looks random and is the same everywhere."""
    n = torch.arange(rows * columns, dtype=torch.float32)
    return torch.sin(n * (seed + 1.7) + seed).view(rows, columns) / rows**0.5


class Decoder:
    """One layer of a language model, with heads that share their keys in groups."""

    def __init__(self, vocabulary=17, width=16, heads=4, groups=2):
        self.heads, self.groups, self.size = heads, groups, width // heads
        self.embedding = weight(vocabulary, width, 0)
        self.q = weight(width, width, 1)
        self.k, self.v = (weight(width, groups * self.size, s) for s in (2, 3))
        self.out, self.gate, self.up = weight(width, width, 4), weight(width, 2 * width, 5), weight(width, 2 * width, 6)
        self.down = weight(2 * width, width, 7)
        self.inverse = 1.0 / (10000 ** (torch.arange(0, self.size, 2).float() / self.size))

    def norm(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)

    def rotate(self, x, positions):
        angles = positions.float()[:, None] * self.inverse[None, :]
        angles = torch.cat((angles, angles), dim=-1)
        first, second = x.chunk(2, dim=-1)
        return x * angles.cos() + torch.cat((-second, first), dim=-1) * angles.sin()

    def attend(self, x, cache):
        batch, length, width = x.shape
        start = 0 if cache is None else cache[0].size(2)
        positions = torch.arange(start, start + length)
        q = (x @ self.q).view(batch, length, self.heads, self.size).transpose(1, 2)
        k = (x @ self.k).view(batch, length, self.groups, self.size).transpose(1, 2)
        v = (x @ self.v).view(batch, length, self.groups, self.size).transpose(1, 2)
        q, k = self.rotate(q, positions), self.rotate(k, positions)
        if cache is not None:
            k, v = torch.cat((cache[0], k), dim=2), torch.cat((cache[1], v), dim=2)
        shared = self.heads // self.groups
        keys = k[:, :, None].expand(-1, -1, shared, -1, -1).reshape(batch, self.heads, -1, self.size)
        values = v.repeat_interleave(shared, dim=1)
        scores = torch.matmul(q, keys.transpose(-2, -1)) / self.size**0.5
        mask = torch.ones(length, start + length, dtype=torch.bool).tril(diagonal=start)
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
        mixed = torch.softmax(scores, dim=-1).type_as(values) @ values
        return mixed.transpose(1, 2).contiguous().view(batch, length, width) @ self.out, (k, v)

    def __call__(self, tokens, cache=None):
        x = self.embedding[tokens]
        mixed, cache = self.attend(self.norm(x), cache)
        x = x + mixed
        h = self.norm(x)
        gate = h @ self.gate
        x = x + (gate * torch.sigmoid(gate) * (h @ self.up)) @ self.down
        return self.norm(x) @ self.embedding.t(), cache


@torch.no_grad()
def main():
    model = Decoder()
    tokens = torch.tensor([[1, 5, 9], [2, 2, 7]])
    logits, cache = model(tokens)
    for _ in range(4):
        last = logits[:, -1]
        kept = torch.topk(last, k=3, dim=-1).values[:, -1:]
        last = torch.where(last < kept, torch.full_like(last, float("-inf")), last)
        following = last.argmax(dim=-1, keepdim=True)
        tokens = torch.cat([tokens, following], dim=1)
        logits, cache = model(following, cache)
    loss = -torch.log_softmax(logits[:, -1], -1).gather(1, tokens[:, :1]).squeeze(1)
    return {"tokens": tokens.flatten().tolist(), "loss": loss.tolist(), "cached": list(cache[0].shape)}


if __name__ == "__main__":
    print(main())
