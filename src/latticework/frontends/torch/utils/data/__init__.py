"""`torch.utils.data`: datasets, samplers, and `DataLoader`."""

from __future__ import annotations

from ....names import export as _export
from . import collate, dataloader, dataset, distributed, sampler

_export(globals(), collate, dataloader, dataset, distributed, sampler, but="collate default_collate_fn_map")
