"""Written by tools/stubs.py: make pages writes it again."""

# mypy: disable-error-code="override, misc, assignment, no-redef, unused-ignore, valid-type, type-arg, overload-overlap"

from latticework.frontends.torch.distributions import ComposeTransform as _ComposeTransform

__all__ = ["AbsTransform", "AffineTransform", "CatTransform", "ComposeTransform", "CorrCholeskyTransform", "CumulativeDistributionTransform", "ExpTransform", "IndependentTransform", "LowerCholeskyTransform", "PositiveDefiniteTransform", "PowerTransform", "ReshapeTransform", "SigmoidTransform", "SoftmaxTransform", "SoftplusTransform", "StackTransform", "StickBreakingTransform", "TanhTransform", "Transform", "identity_transform"]

from latticework.frontends.torch.distributions import AbsTransform as AbsTransform
from latticework.frontends.torch.distributions import AffineTransform as AffineTransform
from latticework.frontends.torch.distributions import CatTransform as CatTransform
from latticework.frontends.torch.distributions import ComposeTransform as ComposeTransform
from latticework.frontends.torch.distributions import CorrCholeskyTransform as CorrCholeskyTransform
from latticework.frontends.torch.distributions import CumulativeDistributionTransform as CumulativeDistributionTransform
from latticework.frontends.torch.distributions import ExpTransform as ExpTransform
from latticework.frontends.torch.distributions import IndependentTransform as IndependentTransform
from latticework.frontends.torch.distributions import LowerCholeskyTransform as LowerCholeskyTransform
from latticework.frontends.torch.distributions import PositiveDefiniteTransform as PositiveDefiniteTransform
from latticework.frontends.torch.distributions import PowerTransform as PowerTransform
from latticework.frontends.torch.distributions import ReshapeTransform as ReshapeTransform
from latticework.frontends.torch.distributions import SigmoidTransform as SigmoidTransform
from latticework.frontends.torch.distributions import SoftmaxTransform as SoftmaxTransform
from latticework.frontends.torch.distributions import SoftplusTransform as SoftplusTransform
from latticework.frontends.torch.distributions import StackTransform as StackTransform
from latticework.frontends.torch.distributions import StickBreakingTransform as StickBreakingTransform
from latticework.frontends.torch.distributions import TanhTransform as TanhTransform
from latticework.frontends.torch.distributions import Transform as Transform
identity_transform: _ComposeTransform
