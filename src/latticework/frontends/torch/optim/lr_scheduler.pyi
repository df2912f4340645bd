"""Written by tools/stubs.py: make pages writes it again."""

# mypy: disable-error-code="override, misc, assignment, no-redef, unused-ignore, valid-type, type-arg, overload-overlap"

from builtins import bool as _bool, float as _float, property as _property, str as _str
from typing import Any as _Any

_LRScheduler = LRScheduler
_LambdaLR = LambdaLR
__all__ = ["ChainedScheduler", "ConstantLR", "CosineAnnealingLR", "CosineAnnealingWarmRestarts", "CyclicLR", "ExponentialLR", "LRScheduler", "LambdaLR", "LinearLR", "MultiStepLR", "MultiplicativeLR", "OneCycleLR", "PolynomialLR", "ReduceLROnPlateau", "SequentialLR", "StepLR"]

class ChainedScheduler(_LRScheduler):
    def __init__(self, schedulers: _Any, optimizer: _Any = ...) -> None: ...
    base_lrs: _Any
    last_epoch: _Any
    def load_state_dict(self, state_dict: _Any) -> _Any: ...
    optimizer: _Any
    def state_dict(self) -> _Any: ...
    def step(self) -> _Any: ...
class ConstantLR(_LRScheduler):
    def __init__(self, optimizer: _Any, factor: _float = ..., total_iters: _Any = ..., last_epoch: _Any = ...) -> None: ...
    base_lrs: _Any
    factor: _Any
    def get_lr(self) -> _Any: ...
    last_epoch: _Any
    optimizer: _Any
    total_iters: _Any
class CosineAnnealingLR(_LRScheduler):
    T_max: _Any
    def __init__(self, optimizer: _Any, T_max: _Any, eta_min: _float = ..., last_epoch: _Any = ...) -> None: ...
    base_lrs: _Any
    eta_min: _Any
    def get_lr(self) -> _Any: ...
    last_epoch: _Any
    optimizer: _Any
class CosineAnnealingWarmRestarts(_LRScheduler):
    T_0: _Any
    T_cur: _Any
    T_i: _Any
    T_mult: _Any
    def __init__(self, optimizer: _Any, T_0: _Any, T_mult: _Any = ..., eta_min: _float = ..., last_epoch: _Any = ...) -> None: ...
    base_lrs: _Any
    eta_min: _Any
    def get_lr(self) -> _Any: ...
    last_epoch: _Any
    optimizer: _Any
    def step(self, epoch: _Any = ...) -> _Any: ...
class CyclicLR(_LRScheduler):
    def __init__(self, optimizer: _Any, base_lr: _Any, max_lr: _Any, step_size_up: _Any = ..., step_size_down: _Any = ..., mode: _str = ..., gamma: _float = ..., scale_fn: _Any = ..., scale_mode: _str = ..., cycle_momentum: _bool = ..., base_momentum: _float = ..., max_momentum: _float = ..., last_epoch: _Any = ...) -> None: ...
    base_lrs: _Any
    base_momentums: _Any
    cycle_momentum: _bool
    gamma: _Any
    def get_lr(self) -> _Any: ...
    last_epoch: _Any
    def load_state_dict(self, state_dict: _Any) -> _Any: ...
    max_lrs: _Any
    max_momentums: _Any
    mode: _Any
    optimizer: _Any
    def scale_fn(self, x: _Any) -> _Any: ...
    scale_mode: _Any
    def state_dict(self) -> _Any: ...
    step_ratio: _Any
    total_size: _Any
    use_beta1: _Any
class ExponentialLR(_LRScheduler):
    def __init__(self, optimizer: _Any, gamma: _Any, last_epoch: _Any = ...) -> None: ...
    base_lrs: _Any
    gamma: _Any
    def get_lr(self) -> _Any: ...
    last_epoch: _Any
    optimizer: _Any
class LRScheduler:
    def __init__(self, optimizer: _Any, last_epoch: _Any = ...) -> None: ...
    base_lrs: _Any
    def get_last_lr(self) -> _Any: ...
    def get_lr(self) -> _Any: ...
    last_epoch: _Any
    def load_state_dict(self, state_dict: _Any) -> _Any: ...
    optimizer: _Any
    def state_dict(self) -> _Any: ...
    def step(self, epoch: _Any = ...) -> _Any: ...
class LambdaLR(_LRScheduler):
    def __init__(self, optimizer: _Any, lr_lambda: _Any, last_epoch: _Any = ...) -> None: ...
    base_lrs: _Any
    def get_lr(self) -> _Any: ...
    last_epoch: _Any
    def load_state_dict(self, state_dict: _Any) -> _Any: ...
    lr_lambdas: _Any
    optimizer: _Any
    def state_dict(self) -> _Any: ...
class LinearLR(_LRScheduler):
    def __init__(self, optimizer: _Any, start_factor: _float = ..., end_factor: _float = ..., total_iters: _Any = ..., last_epoch: _Any = ...) -> None: ...
    base_lrs: _Any
    end_factor: _Any
    def get_lr(self) -> _Any: ...
    last_epoch: _Any
    optimizer: _Any
    start_factor: _Any
    total_iters: _Any
class MultiStepLR(_LRScheduler):
    def __init__(self, optimizer: _Any, milestones: _Any, gamma: _float = ..., last_epoch: _Any = ...) -> None: ...
    base_lrs: _Any
    gamma: _Any
    def get_lr(self) -> _Any: ...
    last_epoch: _Any
    milestones: _Any
    optimizer: _Any
class MultiplicativeLR(_LambdaLR):
    def __init__(self, optimizer: _Any, lr_lambda: _Any, last_epoch: _Any = ...) -> None: ...
    base_lrs: _Any
    def get_lr(self) -> _Any: ...
    last_epoch: _Any
    lr_lambdas: _Any
    optimizer: _Any
class OneCycleLR(_LRScheduler):
    def __init__(self, optimizer: _Any, max_lr: _Any, total_steps: _Any = ..., epochs: _Any = ..., steps_per_epoch: _Any = ..., pct_start: _float = ..., anneal_strategy: _str = ..., cycle_momentum: _bool = ..., base_momentum: _float = ..., max_momentum: _float = ..., div_factor: _float = ..., final_div_factor: _float = ..., three_phase: _bool = ..., last_epoch: _Any = ...) -> None: ...
    base_lrs: _Any
    cycle_momentum: _bool
    def get_lr(self) -> _Any: ...
    last_epoch: _Any
    optimizer: _Any
    total_steps: _Any
    use_beta1: _Any
class PolynomialLR(_LRScheduler):
    def __init__(self, optimizer: _Any, total_iters: _Any = ..., power: _float = ..., last_epoch: _Any = ...) -> None: ...
    base_lrs: _Any
    def get_lr(self) -> _Any: ...
    last_epoch: _Any
    optimizer: _Any
    power: _Any
    total_iters: _Any
class ReduceLROnPlateau(_LRScheduler):
    def __init__(self, optimizer: _Any, mode: _str = ..., factor: _float = ..., patience: _Any = ..., threshold: _float = ..., threshold_mode: _str = ..., cooldown: _Any = ..., min_lr: _Any = ..., eps: _float = ...) -> None: ...
    base_lrs: _Any
    best: _Any
    cooldown: _Any
    cooldown_counter: _Any
    default_min_lr: _Any
    eps: _Any
    factor: _Any
    @_property
    def in_cooldown(self) -> _Any: ...
    last_epoch: _Any
    def load_state_dict(self, state_dict: _Any) -> _Any: ...
    min_lrs: _Any
    mode: _Any
    mode_worse: _Any
    num_bad_epochs: _Any
    optimizer: _Any
    patience: _Any
    def step(self, metrics: _Any, epoch: _Any = ...) -> _Any: ...
    threshold: _Any
    threshold_mode: _Any
class SequentialLR(_LRScheduler):
    def __init__(self, optimizer: _Any, schedulers: _Any, milestones: _Any, last_epoch: _Any = ...) -> None: ...
    base_lrs: _Any
    last_epoch: _Any
    def load_state_dict(self, state_dict: _Any) -> _Any: ...
    optimizer: _Any
    def recursive_undo(self, sched: _Any = ...) -> _Any: ...
    def state_dict(self) -> _Any: ...
    def step(self) -> _Any: ...
class StepLR(_LRScheduler):
    def __init__(self, optimizer: _Any, step_size: _Any, gamma: _float = ..., last_epoch: _Any = ...) -> None: ...
    base_lrs: _Any
    gamma: _Any
    def get_lr(self) -> _Any: ...
    last_epoch: _Any
    optimizer: _Any
    step_size: _Any
