"""Boxes of a detector: anchors, offsets to boxes, overlaps, and the best boxes of each class."""

import math

import latticework.frontends.torch as torch


def anchors(size, stride, scales=(4.0, 6.0), ratios=(0.5, 1.0, 2.0)):
    """Boxes (n, 4) of each scale and ratio around each cell of a grid."""
    scales, ratios = torch.as_tensor(scales), torch.as_tensor(ratios)
    heights = torch.sqrt(ratios)
    widths = 1 / heights
    w, h = (widths[:, None] * scales[None, :]).view(-1), (heights[:, None] * scales[None, :]).view(-1)
    base = torch.stack([-w, -h, w, h], dim=1) / 2
    shift = torch.arange(0, size) * stride
    y, x = torch.meshgrid(shift, shift, indexing="ij")
    x, y = x.reshape(-1), y.reshape(-1)
    shifts = torch.stack((x, y, x, y), dim=1)
    return (shifts.view(-1, 1, 4) + base.round().view(1, -1, 4)).reshape(-1, 4)


def decode(boxes, offsets, size):
    """Boxes moved and resized by offsets, inside an image."""
    boxes = boxes.to(offsets.dtype)
    width, height = boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1]
    x, y = boxes[:, 0] + 0.5 * width, boxes[:, 1] + 0.5 * height
    dx, dy, dw, dh = offsets.unbind(1)
    dw, dh = dw.clamp(max=math.log(1000.0 / 16)), dh.clamp(max=math.log(1000.0 / 16))
    cx, cy = dx * width + x, dy * height + y
    w, h = 0.5 * torch.exp(dw) * width, 0.5 * torch.exp(dh) * height
    return torch.stack((cx - w, cy - h, cx + w, cy + h), dim=1).clamp(0, size)


def overlaps(a, b):
    """The intersection over the union of each box of a with each of b."""
    area = lambda boxes: (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])  # noqa: E731
    low = torch.max(a[:, None, :2], b[:, :2])
    high = torch.min(a[:, None, 2:], b[:, 2:])
    inner = (high - low).clamp_(min=0).prod(dim=2)
    return inner / (area(a)[:, None] + area(b) - inner)


def suppressed(boxes, scores, classes, threshold):
    """The positions of boxes that no better box of their class covers, the best first."""
    shifted = boxes + (classes.to(boxes) * (boxes.max() + 1))[:, None]
    order = scores.argsort(descending=True)
    covered = (overlaps(shifted[order], shifted[order]) > threshold).triu(diagonal=1)
    kept = torch.ones(len(order), dtype=torch.bool)
    for i in range(len(order)):
        if kept[i]:
            kept &= ~covered[i]
    return order[kept]


def main():
    grid = anchors(4, 8)
    n = torch.arange(grid.numel(), dtype=torch.float32).view_as(grid)
    boxes = decode(grid, torch.sin(n) * 0.3, 32)
    scores, classes = torch.cos(torch.arange(len(boxes) * 3).view(-1, 3) * 1.3).softmax(-1).max(dim=-1)
    large = (boxes[:, 2:] - boxes[:, :2]).min(dim=1).values >= 2
    boxes, scores, classes = boxes[large], scores[large], classes[large]
    kept = suppressed(boxes, scores, classes, 0.4)[:8]
    counts = torch.zeros(3, dtype=torch.int64).scatter_add_(0, classes, torch.ones_like(classes))
    best = torch.cat([boxes[kept], scores[kept].unsqueeze(1)], dim=1)
    return {"best": best.flatten().tolist(), "classes": classes[kept].tolist(), "counts": counts.tolist()}


if __name__ == "__main__":
    print(main())
