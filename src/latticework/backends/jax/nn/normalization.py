"""Norms on JAX, each as one program."""

from __future__ import annotations

from ..compiled import compiled

layer_norm = compiled("nn.layer_norm")
rms_norm = compiled("nn.rms_norm")
group_norm = compiled("nn.group_norm")
instance_norm = compiled("nn.instance_norm")
local_response_norm = compiled("nn.local_response_norm")
normalize = compiled("nn.normalize")
standardize = compiled("nn.standardize")
_by_statistics = compiled("nn._by_statistics")
_by_batch = compiled("nn._by_batch")
