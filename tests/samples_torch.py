"""What PyTorch and its dialect are compared on. `differential` says how a line is read."""

from __future__ import annotations

#: Functions of one tensor that take each dtype, and those of real numbers; those of two likewise.
_UNARY = """
    abs absolute acos acosh angle arccos arccosh arcsin arcsinh arctan arctanh asin asinh atan atanh bitwise_not ceil
    conj conj_physical cos cosh deg2rad erf erfc exp exp2 expm1 fix floor isfinite isinf isnan isneginf isposinf
    isreal log log10 log1p log2 logical_not neg negative positive rad2deg reciprocal relu rsqrt sgn sigmoid sign
    signbit sin sinc sinh sqrt square tan tanh trunc round frac clone numel ravel detach is_complex is_floating_point
    is_signed resolve_conj resolve_neg real nan_to_num argwhere nonzero t adjoint is_tensor
""".split()
_SPECIAL = "digamma erfinv lgamma i0".split()
_BINARY = """
    add sub subtract mul multiply div divide true_divide floor_divide remainder fmod pow float_power atan2 arctan2
    bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift copysign fmax fmin maximum minimum gcd lcm
    hypot logaddexp logaddexp2 nextafter heaviside eq ne lt le gt ge equal not_equal less less_equal greater
    greater_equal logical_and logical_or logical_xor xlogy ldexp rsub
""".split()
_SCALARS_TOO = "add sub mul div floor_divide remainder pow eq lt logical_and bitwise_and atan2 maximum".split()

SAMPLES = (
    "all:\n"
    + "\n".join(f"    torch.{f}(x)" for f in _UNARY)
    + "\n    torch.imag(x)\n"
    + "\n".join(f"    torch.{f}(s)" for f in ("exp", "abs", "floor", "sqrt", "neg", "isnan"))
    + "\n"
    + "\n".join(f"    torch.{f}(x, y)  # pairs" for f in _BINARY)
    + "\n"
    + "\n".join(f"    torch.{f}(x, {n})" for f in _SCALARS_TOO[:-2] for n in ("2", "1.5"))
    + "\n"
    + "\n".join(f"    torch.{f}(x, s)" for f in _SCALARS_TOO)
    + "\nreals:\n"
    + "\n".join(f"    torch.{f}(q)  # tolerance=1e-4" for f in _SPECIAL)
    + """
    torch.exp("a")
    torch.exp(x, out=torch.empty(2, 3))
    torch.add(x, y, alpha=2)
    torch.sub(x, y, alpha=2)
    torch.add(x, y, alpha=1.5)
    torch.add(x, 2, y), x.sub(1.5, y), x.clone().add_(3, y)
    torch.div(x, p, rounding_mode="floor")
    torch.div(x, p, rounding_mode="trunc")
    torch.div(x, y, rounding_mode="round")
    torch.clamp(x, 0, 2)
    torch.clamp(x, min=0)
    torch.clamp(x, max=1)
    torch.clamp(x, 0.5, 1.5)
    torch.clamp(x, z, y)
    torch.clamp(x)
    torch.clip(x, 0, 2)
    torch.clamp_max(x, 1)
    torch.clamp_min(x, 1)
    torch.addcmul(x, y, z)
    torch.addcmul(x, y, z, value=2)
    torch.addcmul(x, 2, y, z), x.addcdiv(0.5, y, z), x.clone().addcmul_(2, y, z)
    torch.addcdiv(x, y, p)
    torch.addcdiv(x, y, p, value=2)
    torch.round(x, decimals=1)
    torch.polygamma(1, p)  # tolerance=1e-4
    torch.mvlgamma(p + 2, 2)  # tolerance=1e-4
    torch.igamma(p, q)  # tolerance=1e-4
    torch.igammac(p, q)  # tolerance=1e-4
    torch.nan_to_num(x, nan=1.0, posinf=2.0)
    torch.logit(q)  # tolerance=1e-2
    torch.logit(q, eps=0.2)  # tolerance=1e-2
    x + 1
    x - 1.5
    1 - x
    2 ** x
    2.5 * x
    x / 2
    1 / p
    x // 2
    7 % p
    x ** 2
    p ** 0.5
    -x
    abs(x)
    +x
    x == 1
    x != y
    x < 1.5
    x @ n
    s + x
    s * 2
    s / t
    x + e
floats:
    torch.frexp(x)
    torch.complex(x, y)
    torch.polar(p, y)
    torch.lerp(x, y, 0.25)
    torch.lerp(x, y, z)
    torch.float_power(p, 2)
complex:
    x.real
    x.imag
    torch.real(x)
    torch.imag(x)
    x.conj()
    x.mH
    x.H
    torch.angle(x)
    torch.view_as_real(x)
    x * 2
    x * 1j
    torch.abs(x)
all:
    x.dtype
    x.shape
    x.size()
    x.size(0)
    x.size(-1)
    x.size(2)
    x.dim()
    x.ndim
    x.numel()
    x.nelement()
    x.T
    x.mT
    x.is_floating_point()
    x.is_complex()
    x.element_size()
    x.itemsize
    x.nbytes
    x.is_contiguous()
    x.stride()
    x.device.type
    x.requires_grad
    x.is_cuda
    x.tolist()
    s.item()
    x.item()
    len(x)
    len(s)
    list(x)
    bool(s)
    bool(x)
    int(s)
    float(s)
    x.to(torch.float64)
    x.to(torch.int32)
    x.to(torch.uint8)
    x.to(torch.bool)
    x.to(torch.complex64)
    x.to(torch.bfloat16)
    x.to("cpu")
    x.to("cpu", torch.float32)
    x.to(device="cpu", dtype=torch.int64)
    x.to(y)  # pairs
    x.to(dtype=torch.float16)
    x.to(x.dtype, copy=True)
    x.float()
    x.double()
    x.half()
    x.bfloat16()
    x.long()
    x.int()
    x.short()
    x.char()
    x.byte()
    x.bool()
    x.cpu()
    x.type()
    x.type(torch.float32)
    x.type("torch.DoubleTensor")
    x.type_as(i)
    x.contiguous()
    x.detach()
    x.clone()
    x.data
    x.cfloat()
    x.cdouble()
    x.reshape(3, 2)
    x.reshape((3, 2))
    x.reshape(-1)
    x.reshape(3, -1)
    x.reshape(4, 2)
    x.view(3, 2)
    x.view(-1)
    x.view((6,))
    x.view(torch.Size([3, 2]))
    x.view(5)
    x.unsqueeze(0)
    x.unsqueeze(-1)
    x.unsqueeze(3)
    x.permute(1, 0)
    x.permute((1, 0))
    x.permute(0, 0)
    r.permute(2, 0, 1)
    x.expand(4, 2, 3)
    x.unsqueeze(1).expand(-1, 4, -1)
    x.expand(3, 3)
    x.expand_as(r[..., :3].new_zeros(4, 2, 3))
    x.transpose(0, 1)
    r.transpose(-1, 0)
    x.transpose(0, 2)
    s.transpose(0, 0)
    r.flatten()
    r.flatten(1)
    r.flatten(0, 1)
    s.flatten()
    x.repeat(2)
    x.repeat(2, 2)
    x.repeat((2, 1, 1))
    u.repeat(2)
    x.squeeze()
    x[:1].squeeze()
    x[:1].squeeze(0)
    x.squeeze(0)
    x[:1].squeeze((0, 1))
    x.chunk(2)
    x.chunk(2, dim=1)
    x.chunk(2, dim=-1)
    x.unbind()
    x.unbind(1)
    x.repeat_interleave(2)
    x.repeat_interleave(2, dim=0)
    x.repeat_interleave(torch.tensor([1, 2]), dim=0)
    x.flip(0)
    x.flip(0, 1)
    x.flip([1])
    x.flip(dims=(0, 1))
    x.new_zeros(2, 2)
    x.new_zeros((2,), dtype=torch.float64)
    x.new_ones(3)
    x.new_full((2,), 3)
    x.new_tensor([1, 2])
    x.new_empty(2).shape
    x.type_as(u).view_as(x)
    x.reshape_as(n)
    x.unflatten(1, (3, 1))
    x.unflatten(1, (-1, 3))
    x.where(b, z)
    x.tile(2)
    x.tile((2, 1))
    r.unfold(2, 2, 1)
    x.sum_to_size(1, 3)
    x[0]
    x[1, 2]
    x[:, 1]
    x[..., 0]
    x[None]
    x[b]
    x[k[:2] // 2]
    x[[0, 1]]
    x[:, k]
    x[5]
    x[0, 0, 0]
    x[::2]
    x[1:, :-1]
    x[True]
    a = x.clone(); a[0] = 1; a
    a = x.clone(); a[0] = 1.5; a
    a = x.clone(); a[b] = 0; a
    a = x.clone(); a[0] = y[1]; a  # pairs
    a = x.clone(); a[:, 1:] = 2; a
    a = x.clone(); a[0, 0] = True; a
    a = x.clone(); a[0] = [1, 2, 3]; a
    a = x.clone(); a.add_(y); a  # pairs
    a = x.clone(); a.add_(1); a
    a = x.clone(); a.add_(1.5); a
    a = x.clone(); a.add_(y, alpha=2); a
    a = x.clone(); a += y; a  # pairs
    a = x.clone(); a *= 2; a
    a = x.clone(); a /= 2; a
    a = x.clone(); a -= 1.5; a
    a = x.clone(); a.mul_(y); a  # pairs
    a = x.clone(); a.mul_(2); a
    a = x.clone(); a.div_(2); a
    a = x.clone(); a.div_(p); a
    a = x.clone(); a.sub_(y); a
    a = x.clone(); a.copy_(y); a  # pairs
    a = x.clone(); a.copy_(u); a
    a = x.clone(); a.copy_(n)
    a = x.clone(); a.masked_fill_(b, 0); a
    a = x.clone(); a.masked_fill_(b, 1.5); a
    a = x.clone(); a.zero_(); a
    a = x.clone(); a.fill_(2); a
    a = x.clone(); a.fill_(s); a
    a = x.clone(); a.fill_(x)
    a = x.clone(); a.clamp_(0, 2); a
    a = x.clone(); a.abs_(); a
    a = x.clone(); a.neg_(); a
    a = x.clone(); a.exp_(); a
    a = x.clone(); a.sqrt_(); a
    a = x.clone(); a.pow_(2); a
    a = x.clone(); a.eq_(y); a
    a = x.clone(); a.lt_(y); a
    a = x.clone(); a.logical_not_(); a
    a = x.clone(); a.unsqueeze_(0); a
    a = x.clone(); a.squeeze_(0); a
    a = x.clone(); a.t_(); a
    a = x.clone(); a.transpose_(0, 1); a
    a = x.clone(); a.resize_(3, 1); a
    a = x.clone(); a.set_(y); a
    a = x.clone(); a.tril_(); a
    a = m.clone(); a.fill_diagonal_(1); a
    a = x.clone(); a.add_(r)
    a = x.clone(); a.index_put_((torch.tensor([0, 1]), torch.tensor([2, 0])), s); a
    a = x.clone(); a.index_put_((torch.tensor([0, 0]), torch.tensor([2, 2])), u[:2], accumulate=True); a
    a = x.clone(); a.scatter_(1, i, 1); a
    a = x.clone(); a.scatter_(1, k[None], z[:1]); a
    a = x.clone(); a.scatter_add_(1, i, z); a
    a = x.clone(); a.index_fill_(0, torch.tensor([1]), 2); a
    a = x.clone(); a.index_copy_(1, k, z); a
    a = x.clone(); a.index_add_(1, k, z); a
    a = x.clone(); a.normal_().shape
    a = x.clone(); a.uniform_(0, 1).dtype
    a = x.clone(); a.random_(0, 2).dtype
    a = x.clone(); a.bernoulli_(0.5).dtype
    a = x.clone(); a.exponential_().dtype
    a = x.clone(); a.cauchy_().dtype
    a = x.clone(); a.log_normal_().dtype
    a = x.clone(); a.geometric_(0.5).dtype
    a = x.clone(); v = a[0]; v.add_(v); a
    a = x.clone(); v = a.view(-1); v[0] = 1; a
    a = x.clone(); v = a.t(); v.zero_(); a
    x.backward()
all:
    torch.sum(input=x, dim=0)
    torch.sum(x)
    torch.sum(x, 0)
    torch.sum(x, dim=1, keepdim=True)
    torch.sum(x, dim=(0, 1))
    torch.sum(x, axis=0, keepdims=True)
    torch.sum(x, dim=[])
    torch.sum(x, dtype=torch.float64)
    torch.sum(x, 0, dtype=torch.int32)
    torch.sum(x, 2)
    torch.sum(e)
    torch.sum(e, 0)
    torch.sum(s, 0)
    x.sum()
    x.sum(1)
    x.sum((0, 1), keepdim=True)
    torch.mean(x)
    torch.mean(x, 0)
    torch.mean(x, dim=1, keepdim=True)
    torch.mean(x, dtype=torch.float32)
    x.mean()
    x.mean(-1)
    torch.prod(x)
    torch.prod(x, 1)
    torch.prod(x, 1, keepdim=True, dtype=torch.float64)
    x.prod(0)
    torch.all(x)
    torch.all(x, 1)
    torch.all(x, 1, keepdim=True)
    torch.all(b, dim=(0, 1))
    x.all()
    torch.any(x)
    torch.any(x, 0)
    x.any(1, keepdim=True)
    torch.amax(x)
    torch.amax(x, 1)
    torch.amax(x, (0, 1), keepdim=True)
    torch.amax(e, 0)
    torch.amin(x)
    torch.amin(x, 0)
    torch.aminmax(x)
    torch.aminmax(x, dim=1)
    torch.max(x)
    torch.max(x, 0)
    torch.max(x, dim=1, keepdim=True)
    torch.max(x, y)  # pairs
    torch.max(e)
    torch.max(s, 0)
    torch.max(x, 2)
    x.max()
    x.max(1)
    x.max(dim=0).values
    torch.min(x)
    torch.min(x, 1)
    torch.min(x, y)  # pairs
    x.min(dim=-1).indices
    torch.argmax(x)
    torch.argmax(x, 1)
    torch.argmax(x, dim=0, keepdim=True)
    torch.argmin(x)
    torch.argmin(x, 1)
    x.argmax(-1)
    torch.std(x)
    torch.std(x, 1)
    torch.std(x, dim=0, correction=0, keepdim=True)
    torch.std(x, False)
    torch.std(x, 1, True)
    torch.var(x)
    torch.var(x, 1, unbiased=False)
    torch.std_mean(x)
    torch.std_mean(x, 1)
    torch.var_mean(x, dim=0)
    x.std()
    x.var(0)
    torch.cumsum(x, 0)
    torch.cumsum(x, dim=1, dtype=torch.float64)
    torch.cumsum(s, 0)
    torch.cumsum(x, 5)
    x.cumsum(-1)
    torch.cumprod(x, 1)
    torch.count_nonzero(x)
    torch.count_nonzero(x, 0)
    torch.diff(x)
    torch.diff(x, n=2)
    torch.diff(x, dim=0, prepend=y[:1])
    torch.diff(x, append=x[:, :1])
    torch.nansum(x)
    torch.nansum(x, 1)
    torch.nanmean(x)
    torch.nanmean(x, 1)
    torch.softmax(x, 1)
    torch.softmax(x, dim=0, dtype=torch.float64)
    x.softmax(-1)
    torch.softmax(s, 0)
    torch.log_softmax(x, 1)
    x.log_softmax(dim=-1)
    torch.logsumexp(x, 1)
    torch.logsumexp(x, (0, 1), keepdim=True)
    torch.logcumsumexp(x, 1)
    torch.norm(x)
    torch.norm(x, 1)
    torch.norm(x, dim=1)
    torch.norm(x, 2, dim=0, keepdim=True)
    torch.norm(x, float("inf"), dim=1)
    torch.norm(x, p="fro")
    x.norm()
    x.norm(dim=-1, keepdim=True)
    torch.dist(x, z)
    torch.cov(x)
    torch.cov(x, correction=0)
    torch.corrcoef(p)
    torch.trapezoid(x)
    torch.trapezoid(x, dx=2)
    torch.trapz(x)
    torch.cumulative_trapezoid(x)
    torch.gradient(x)
    torch.gradient(x, dim=1)
reals:
    torch.sum(x, 0, out=torch.empty(3, dtype=torch.float64))
    torch.argmax(e)
    torch.median(x)
    torch.median(x, 1)
    torch.median(x, dim=0, keepdim=True)
    torch.nanmedian(x)
    torch.nanmedian(x, 1)
    torch.quantile(x, 0.5)
    torch.quantile(x, 0.25, dim=1)
    torch.quantile(x, 0.3, dim=1, keepdim=True, interpolation="lower")
    torch.quantile(x, 2)
    torch.nanquantile(x, 0.5)
    torch.histc(x, bins=4)
    torch.histc(x, bins=4, min=-1, max=3)
    torch.cummax(x, 1)
    torch.cummin(x, 0)
    torch.renorm(x, 2, 0, 3)
    torch.bincount(x)
    torch.mode(x)
    torch.kthvalue(x, 2)
    torch.kthvalue(x, 1, dim=0, keepdim=True)
    torch.kthvalue(x, 7)
    torch.argsort(x)
    torch.argsort(x, dim=0, descending=True)
    torch.sort(x)
    torch.sort(x, dim=0, descending=True)
    torch.sort(x, 0, True)
    torch.sort(s)
    torch.msort(x)
    x.sort().values
    x.sort(descending=True)
    x.argsort(-1)
    torch.topk(x, 2)
    torch.topk(x, 1, dim=0)
    torch.topk(x, 2, largest=False)
    torch.topk(x, 5)
    torch.unique(x)
    torch.unique(x, return_inverse=True)
    torch.unique(x, return_counts=True)
    torch.unique(i)
    torch.unique_consecutive(x)
    torch.unique_consecutive(i, return_inverse=True, return_counts=True)
    torch.searchsorted(u, x)
    torch.searchsorted(u, x, right=True)
    torch.searchsorted(u, 2)
    torch.searchsorted(u, x, out_int32=True)
    torch.bucketize(x, u)
    torch.bucketize(x, u, right=True)
    torch.isin(x, u)
    torch.isin(x, 1)
ints:
    torch.index_reduce(x, 1, k, z, "mean")
    torch.index_reduce(x, 1, k, z, "mean", include_self=False)
    torch.median(x)
    torch.trapezoid(x, u)
    torch.trapezoid(x, torch.tensor([200, 100], dtype=torch.uint8), dim=0)
    torch.cumulative_trapezoid(x, dx=3)
    torch.bincount(i.flatten()[:0], u[:0])
    torch.index_fill(s, 0, k[:1] * 0, 3)
float32:
    torch.gradient(x, spacing=None)
    torch.stft(sig, 4, window=torch.ones(4), return_complex=False)
    torch.sin(1.0)
    torch.add(1, 2)
    torch.true_divide(1, 2)
    torch.eq(1, 2)
    torch.pow(2, 3)
    torch.pow(2, x)
    torch.isclose(x, 1.0)
    torch.lerp(x, 1.0, 0.5)
    torch.mm(x, 2.0)
    torch.block_diag(1.0, x)
    torch.polygamma(1, 2.0)
    torch.softmax(1.0, 0)
    torch.gather(x, 1, torch.empty((0, 3), dtype=torch.uint8))
    torch.linalg.inv_ex(torch.zeros(0, 0))
    torch.linalg.norm(2.0)
bool:
    torch.median(x)
    torch.topk(x, 1)
    torch.lerp(x, y, 0.5)
float16:
    torch.special.zeta(p, p)
    torch.histogram(x, 3)
    torch.linalg.inv(m)
int64:
    torch.bincount(i.flatten())
    torch.bincount(i.flatten(), minlength=5)
    torch.bincount(i.flatten(), weights=x.flatten().double())
    torch.unravel_index(i, (2, 3))
wide:
    torch.histogram(x, bins=3)
    torch.histogram(x, bins=3, range=(-2.0, 3.0), density=True)
all:
    torch.cat([x, y])  # pairs
    torch.cat((x, x), dim=1)
    torch.cat([x, z], -1)
    torch.cat([x, u])
    torch.cat([x, torch.tensor([])])
    torch.cat([])
    torch.cat(x)
    torch.cat([x, z], axis=1)
    torch.concat([x, z])
    torch.concatenate([x, z], dim=1)
    torch.stack([x, y])  # pairs
    torch.stack([x, z], dim=1)
    torch.stack([x, z], -1)
    torch.stack([x, u])
    torch.hstack([x, z])
    torch.vstack([x, u])
    torch.row_stack([x, u])
    torch.dstack([x, z])
    torch.column_stack([u, v])
    torch.split(r, 2, dim=1)
    torch.split(x, [1, 2], dim=1)
    torch.split(x, [1, 1], dim=1)
    r.split(1)
    torch.split_with_sizes(x, [1, 2], 1)
    torch.chunk(x, 2)
    torch.chunk(r, 3, dim=2)
    torch.chunk(x, 0)
    torch.tensor_split(x, 2)
    torch.tensor_split(x, (1,), dim=1)
    torch.hsplit(x, 3)
    torch.hsplit(x, 2)
    torch.vsplit(x, 2)
    torch.dsplit(r, 2)
    torch.unbind(x)
    torch.unbind(s)
    torch.reshape(x, (3, 2))
    torch.reshape(x, (-1,))
    torch.flatten(r, 1)
    torch.flatten(r, start_dim=0, end_dim=1)
    torch.flatten(r, 2, 1)
    torch.unflatten(x, 1, (3, 1))
    torch.squeeze(x[:1])
    torch.squeeze(x, 5)
    torch.unsqueeze(x, 1)
    torch.transpose(x, 0, 1)
    torch.swapaxes(x, 0, 1)
    torch.swapdims(r, 0, 2)
    torch.permute(r, (2, 0, 1))
    torch.permute(x, (0,))
    torch.permute_copy(x, (1, 0))
    torch.movedim(r, 0, 2)
    torch.movedim(r, (0, 1), (1, 2))
    torch.moveaxis(r, 0, -1)
    torch.t(r)
    torch.broadcast_to(u, (2, 3))
    torch.broadcast_to(x, (2, 2))
    torch.broadcast_to(u, (2, -1))
    torch.broadcast_to(u, (-1, 3))
    u.broadcast_to(2, 3)
    x.type(torch.Tensor)
    torch.expand_copy(u, (2, 3))
    torch.broadcast_tensors(x, u)
    torch.atleast_1d(s)
    torch.atleast_2d(u)
    torch.atleast_3d(x)
    torch.atleast_1d(s, x)
    torch.flip(x, (0,))
    torch.flip(x, [0, 1])
    torch.flip(x, (3,))
    torch.fliplr(x)
    torch.flipud(x)
    torch.roll(x, 1)
    torch.roll(x, 1, 0)
    torch.roll(x, (1, 2), (0, 1))
    torch.rot90(x)
    torch.rot90(x, 2, (0, 1))
    torch.tile(x, (2,))
    torch.tile(u, (2, 2))
    torch.repeat_interleave(x, 2)
    torch.repeat_interleave(x, 2, dim=1)
    torch.repeat_interleave(x, torch.tensor([1, 2]), dim=0)
    torch.repeat_interleave(x, -1)
    torch.narrow(x, 1, 0, 2)
    torch.narrow(x, 1, 2, 2)
    torch.narrow_copy(x, 1, 1, 2)
    torch.select(x, 1, 0)
    torch.select(x, 1, 5)
    torch.select_copy(x, 0, 1)
    torch.diag(u)
    torch.diag(x)
    torch.diag(u, 1)
    torch.diag(r)
    torch.diagflat(x)
    torch.diag_embed(x)
    torch.diag_embed(x, offset=1)
    torch.diag_embed(x, offset=-1, dim1=0, dim2=2)
    torch.diagonal(r)
    torch.diagonal(r, 1, 0, 2)
    torch.diagonal_copy(x)
    torch.tril(m)
    torch.tril(x, -1)
    torch.triu(m)
    torch.triu(x, diagonal=1)
    torch.tril(u)
    torch.trace(m)
    torch.meshgrid(u, v)
    torch.meshgrid(u, v, indexing="xy")
    torch.meshgrid([u, w], indexing="ij")
    torch.cartesian_prod(u, v)
    torch.combinations(u)
    torch.combinations(u, r=2, with_replacement=True)
    torch.block_diag(x, m)
    torch.vander(u)
    torch.vander(u, 2, True)
    torch.as_strided(m, (2, 2), (1, 2))
    torch.transpose_copy(x, 0, 1)
    torch.constant_pad_nd(x, (1, 2), 0)
    torch.channel_shuffle(img, 2)
    torch.pixel_shuffle(torch.cat([img, img], 1), 2)
    torch.pixel_unshuffle(img, 2)
    torch.broadcast_shapes((2, 1), (3,))
    torch.broadcast_shapes((2,), (3,))
    torch.is_same_size(x, z)
    torch.is_nonzero(s)
    torch.is_nonzero(x)
    torch.equal(x, x)
    torch.equal(x, u)
    torch.allclose(x, x)
    torch.allclose(x, z)
    torch.isclose(x, z)
    torch.isclose(x, x, rtol=0.1, atol=0.1)
floats:
    torch.view_as_complex(n[:, :2].contiguous())
all:
    torch.where(b, x, y)  # pairs
    torch.where(b, x, 0)
    torch.where(b, 1.5, x)
    torch.where(b, 1, 2)
    torch.where(b)
    torch.where(x > 1, x, z) if not x.is_complex() else 0
    torch.where(i, x, z)
    torch.gather(x, 1, i)
    torch.gather(x, 0, i)
    torch.gather(x, 1, i[:, :1])
    torch.gather(x, 1, x)
    torch.gather(x, 1, k)
    torch.gather(x, 1, i + 5)
    torch.gather(x, 1, i - 5)
    x.gather(-1, i)
    torch.index_select(x, 1, k)
    torch.index_select(x, 0, torch.tensor([1, 1]))
    torch.index_select(x, 0, torch.tensor([4]))
    torch.index_select(x, 0, torch.tensor([-1]))
    torch.take(x, i)
    torch.take_along_dim(x, i, 1)
    torch.take_along_dim(x, i)
    torch.masked_select(x, b)
    torch.masked_select(x, i)
    torch.masked_fill(x, b, 0)
    torch.masked_fill(x, b, 1.5)
    torch.masked_fill(x, b, s)
    torch.masked_fill(x, c, True)
    torch.masked_fill(x, i, 0)
    x.masked_fill(b, float("-inf"))
    torch.masked_scatter(x, b, z)
    torch.scatter(x, 1, i, z)  # shape
    torch.scatter(x, 1, k[None], z[:1])
    torch.scatter(x, 1, k[None], 2)
    torch.scatter(x, 1, i[:, :1], 5)
    torch.scatter(x, 0, i, z, reduce="add")
    torch.scatter(x, 0, i, y)
    torch.scatter_add(x, 1, i, z)
    torch.scatter_add(x, 1, i + 7, z)
    torch.scatter_add(x, 1, i - 2, z)
    torch.scatter_reduce(x, 1, i, z, "sum")
    torch.scatter_reduce(x, 1, i, z, "prod")
    torch.scatter_reduce(x, 1, i, z, "sum", include_self=False)
    torch.index_add(x, 1, k, z)
    torch.index_add(x, 1, k, z, alpha=2)
    torch.index_add(x, 1, k - 3, z)
    torch.index_copy(x, 1, k - 3, z)
    torch.index_copy(x, 1, k, z)
    torch.index_fill(x, 1, k[:2], 3)
    torch.index_put(x, (torch.tensor([0]), torch.tensor([1])), s)
    torch.put(x, torch.tensor([0, 4]), u[:2])
    torch.select_scatter(x, u, 0, 1)
    torch.slice_scatter(x, z[:, :2], 1, 0, 2)
    torch.diagonal_scatter(m, u)
    torch.nonzero(x, as_tuple=True)
reals:
    torch.scatter_reduce(x, 1, i, z, "amax")
    torch.scatter_reduce(x, 1, i, z, "amin", include_self=False)
    torch.scatter_reduce(x, 1, i, z, "mean")
    torch.index_reduce(x, 1, k, z, "amax")
    torch.index_reduce(x, 1, k, z, "prod")
all:
    torch.matmul(x, n)
    torch.mm(x, n)
    torch.spmm(x.to_sparse(), n)
    torch.sparse.mm(x.to_sparse(), n)
    torch.sparse.addmm(m[:2, :2], x[:2].to_sparse(), n)
    torch.sparse.sum(x.to_sparse())
    torch.dot(u, v)
    torch.inner(u, v)
    torch.tensordot(x, n, 1)
    torch.einsum("ij,jk->ik", x, n)
    torch.addmm(m[:2, :2], x, n)
numeric:
    torch.matmul(x, y.reshape(3, 2))  # pairs
    torch.matmul(u, v)
    torch.matmul(r, n.reshape(1, 3, 2)[:, :1])
    torch.matmul(m, u)
    torch.mm(x, n)
    torch.mm(x, x)
    torch.mm(x, u)
    torch.bmm(r, r.transpose(1, 2))
    torch.bmm(r, x)
    torch.mv(x, u)
    torch.dot(u, v)
    torch.dot(x, u)
    torch.vdot(u, v)
    torch.inner(x, z)
    torch.inner(u, v)
    torch.outer(u, v)
    torch.ger(u, v)
    torch.tensordot(x, n, 1)
    torch.tensordot(x, z, dims=([0, 1], [0, 1]))
    torch.einsum("ij,jk->ik", x, n)
    torch.einsum("ij->j", x)
    torch.einsum("...i,...i", x, z)
    torch.einsum("bij, bkj -> bik", r, r)
    torch.einsum("ij,jk", x, x)
    torch.addmm(m[:2, :2], x, n)
    torch.addmm(m[:2, :2], x, n, beta=2, alpha=3)
    torch.addmm(m[:2, :2], x, n, beta=0.5)
    torch.addmm(2, m[:2, :2], 3, x, n), m[:2, :2].addmm(2, 3, x, n), m[:2, :2].addmm(2, x, n)
    torch.dsmm(x, n)
    torch.addmv(u[:2], x, v)
    torch.addr(m[:3, :3], u, v)
    torch.baddbmm(r[:, :, :3], r, r.transpose(1, 2))
    torch.addbmm(m, r, r.transpose(1, 2))
    torch.chain_matmul(x, n, x)
    torch.kron(x, m)
    torch.cross(m, m.T)
    torch.cross(m, m.T, dim=1)
    torch.matrix_power(m, 2)
    x @ u
    r @ r.mT
    u @ v
    m.mm(m)
    x.matmul(n)
    r.bmm(r.mT)
wide floating:
    torch.det(m)
    torch.inverse(m)
    torch.inverse(x)
    torch.slogdet(m)
    torch.logdet(h)
    torch.cholesky(h)
    torch.cholesky_solve(n, torch.cholesky(h))
    torch.cholesky_inverse(torch.cholesky(h))
    torch.pinverse(x)  # tolerance=1e-4
    torch.qr(m)  # shape
    torch.lu(m)
    torch.lu(m, get_infos=True)
    torch.lu_unpack(*torch.linalg.lu_factor(m))
    torch.lu_unpack(*torch.linalg.lu_factor(m), unpack_pivots=False)
    torch.testing.assert_close(m, m)
    torch.testing.assert_allclose(m, m)
    torch.svd(m)  # shape
    torch.svd_lowrank(m, 1)  # shape
    torch.pca_lowrank(m)  # shape
    torch.triangular_solve(n, m)
    torch.matrix_exp(m)
wide:
    torch.cdist(x, z)  # tolerance=1e-3
    torch.cdist(x, z, p=1.0)
    torch.stft(sig, 4, return_complex=True, window=torch.ones(4, dtype=sig.dtype))
    o = torch.ones_like(sig[0, :4]); torch.istft(torch.stft(sig, 4, return_complex=True, window=o), 4, window=o)
float32:
    torch.tensor([1, 2])
    torch.tensor([1.5, 2])
    torch.tensor([True, False])
    torch.tensor([1 + 2j])
    torch.tensor([[1, 2], [3, 4]])
    torch.tensor([[1, 2], [3]])
    torch.tensor([])
    torch.tensor(3)
    torch.tensor(2.5)
    torch.tensor([1.7, 2.2], dtype=torch.int32)
    torch.tensor([1, 2], dtype=torch.float16)
    torch.tensor([0, 2], dtype=torch.bool)
    torch.tensor(x)
    torch.tensor([s, t])
    torch.tensor([[s, 2], [t, 1.5]])
    torch.tensor([s.double(), 1])
    torch.tensor([i[0, 0], 2], dtype=torch.float64)
    torch.tensor([u, v])
    torch.tensor([[s], [t, t]])
    torch.tensor("a")
    torch.tensor(None)
    torch.as_tensor([1, 2])
    torch.as_tensor(x, dtype=torch.float64)
    torch.asarray([1.0])
    torch.from_numpy(x.numpy())
    torch.from_dlpack(x)
    torch.frombuffer(bytearray(8), dtype=torch.int32)
    torch.zeros(2, 3)
    torch.zeros((2, 3))
    torch.zeros([2])
    torch.zeros(())
    torch.zeros(2, dtype=torch.int8)
    torch.zeros(x.shape)
    torch.zeros(-1)
    torch.zeros(1.5)
    torch.zeros(size=(2,))
    torch.ones(2, 3)
    torch.ones(2, dtype=torch.bool)
    torch.empty(2, 3).shape
    torch.empty(0)
    torch.empty_strided((2, 2), (2, 1)).shape
    torch.full((2,), 3)
    torch.full((2,), 3.0)
    torch.full((2,), True)
    torch.full((2,), 1j)
    torch.full((2,), 2.7, dtype=torch.int64)
    torch.full((2,), np.float64(1.5))
    torch.full((2,), np.int32(2))
    torch.full((2,), 1j, dtype=torch.float32)
    torch.scalar_tensor(2)
    torch.scalar_tensor(2, dtype=torch.int32)
    torch.arange(5)
    torch.arange(1, 5)
    torch.arange(1, 2.5, 0.5)
    torch.arange(5, 0, -2)
    torch.arange(0, 5, -1)
    torch.arange(5, dtype=torch.float32)
    torch.arange(start=1, end=4)
    torch.arange(5.0)
    torch.arange(0)
    torch.range(1, 4)
    torch.linspace(0, 1, 5)
    torch.linspace(0, 10, steps=3, dtype=torch.int64)
    torch.linspace(1, 2, 1)
    torch.linspace(0, 1, -1)
    torch.logspace(0, 2, 3)
    torch.logspace(0, 3, 4, base=2.0)
    torch.eye(3)
    torch.eye(2, 3)
    torch.eye(2, dtype=torch.int64)
    torch.eye(-1)
    torch.tril_indices(3, 3)
    torch.triu_indices(3, 4, 1)
    torch.triu_indices(2, 2, 5)
    torch.hann_window(5)
    torch.hann_window(5, periodic=False)
    torch.hamming_window(6)
    torch.hamming_window(6, True, 0.6, 0.4)
    torch.blackman_window(5)
    torch.bartlett_window(5)
    torch.kaiser_window(5)
    torch.kaiser_window(4, False, 8.0, dtype=torch.float64)
    torch.hann_window(3, dtype=torch.int64)
    torch.rand(2, 3).shape
    torch.rand(2, dtype=torch.float64).dtype
    torch.rand((2, 2)).shape
    torch.rand(2, dtype=torch.int64)
    torch.randn(3).dtype
    torch.randn(2, dtype=torch.complex64).dtype
    torch.rand_like(x).shape
    torch.rand_like(i)
    torch.randn_like(x).dtype
    torch.randint(5, (3,)).dtype
    torch.randint(2, 5, (3,), dtype=torch.int8).dtype
    torch.randint(5, 2, (3,))
    torch.randint_like(x, 3).dtype
    torch.randperm(4).sort().values
    torch.bernoulli(q).dtype
    torch.bernoulli(i)
    torch.normal(x, p).shape
    torch.normal(0.0, 1.0, (2, 2)).dtype
    torch.poisson(p).dtype
    torch.binomial(p, q).shape
    torch.multinomial(p, 2).shape
    torch.multinomial(p, 5, replacement=True).dtype
    torch.multinomial(p, 5)
    torch.manual_seed(3).initial_seed()
    torch.manual_seed(4); torch.initial_seed()
    torch.seed() >= 0
    g = torch.Generator(); g.manual_seed(2); torch.rand(2, generator=g).shape
    a = torch.get_rng_state(); b = torch.rand(3); torch.set_rng_state(a); torch.equal(b, torch.rand(3))
    torch.manual_seed(1); a = torch.rand(4); torch.manual_seed(1); torch.equal(a, torch.rand(4))
    torch.float32
    torch.float
    torch.long.itemsize
    torch.half.is_floating_point
    torch.cfloat.is_complex
    torch.uint8.is_signed
    torch.float32.to_complex()
    torch.complex128.to_real()
    torch.finfo(torch.float16).max
    torch.finfo(torch.bfloat16).eps
    torch.finfo().tiny
    torch.finfo(torch.float64).resolution
    torch.finfo(torch.int32)
    torch.finfo(torch.float32).dtype
    torch.iinfo(torch.int8).min
    torch.iinfo(torch.uint8).max
    torch.iinfo(torch.float32)
    torch.promote_types(torch.int32, torch.float16)
    torch.promote_types(torch.uint8, torch.int8)
    torch.promote_types(torch.uint16, torch.int8)
    torch.promote_types(torch.float16, torch.bfloat16)
    torch.promote_types(1, 2)
    torch.result_type(x, 1)
    torch.result_type(i, 1.5)
    torch.result_type(i, x)
    torch.can_cast(torch.float64, torch.float32)
    torch.can_cast(torch.float64, torch.int32)
    torch.get_default_dtype()
    f = torch.set_default_dtype; f(torch.float64); a = torch.tensor([1.5]), torch.zeros(1); f(torch.float32); a
    f = torch.set_default_dtype; f(torch.float64); a = torch.arange(2) / 2; f(torch.float32); a
    torch.set_default_dtype(torch.float32)
    torch.set_default_dtype(torch.int32)
    torch.cuda.is_available()
    torch.accelerator.is_available()
    torch.accelerator.device_count()
    torch.accelerator.current_accelerator() is None
    torch.tensor(range(3))
    torch.tensor(__import__("collections").deque([1.5, 2.5]))
    torch.tensor(bytearray(b"ab"))
    torch.tensor({1, 2})
    torch.sparse_coo_tensor([[0, 1, 0], [2, 0, 2]], [3.0, 4.0, 5.0], (2, 3)).to_dense()
    torch.sparse_coo_tensor(torch.tensor([[0, 1], [2, 0]]), torch.ones(2, 2), dtype=torch.int64).to_dense()
    torch.sparse_coo_tensor(size=(2, 3)).to_dense()
    torch.ones(2, 3).to_sparse().to_dense()
    torch.sparse_coo_tensor([[0, 1, 0], [2, 0, 2]], [3.0, 4.0, 5.0], (2, 3)).coalesce().indices()
    torch.sparse_coo_tensor([[0, 1, 0], [2, 0, 2]], [3.0, 4.0, 5.0], (2, 3)).coalesce().values()
    torch.is_autocast_enabled("cpu"), torch.is_autocast_cache_enabled(), torch.amp.is_autocast_available("cpu")
    torch.get_autocast_dtype("cpu"), torch.set_autocast_dtype("cpu", torch.bfloat16)
    torch.set_autocast_enabled("cpu", False), torch.set_autocast_cache_enabled(True), torch.clear_autocast_cache()
    torch.autocast_increment_nesting(), torch.autocast_decrement_nesting()
    torch.amp.custom_fwd(lambda c, v: v + 1, device_type="cpu")(lambda: 0, 1)
    torch.amp.custom_fwd(lambda v: v + 1, device_type="cpu")(torch.ones(2))
    c = lambda: 0; c._dtype, c._fwd_used_autocast = None, False; torch.amp.custom_bwd(lambda c: 2, device_type="cpu")(c)
    (lambda c: (torch.cuda.amp.custom_fwd(lambda c: 1)(c), torch.cuda.amp.custom_bwd(lambda c: 2)(c)))(lambda: 0)
    torch.optim.swa_utils.get_ema_avg_fn(0.5)(torch.ones(2), torch.zeros(2), 1)
    torch.optim.swa_utils.get_swa_avg_fn()(torch.ones(2), torch.zeros(2), 1)
    (lambda a: (torch.optim.swa_utils.get_ema_multi_avg_fn(0.5)([a], [torch.zeros(2)], 1), a))(torch.ones(2))
    (lambda a: (torch.optim.swa_utils.get_swa_multi_avg_fn()([a], [torch.zeros(2)], 1), a))(torch.ones(2))
    torch.optim.swa_utils.update_bn([torch.ones(2)], torch.nn.Module())
    f = lambda x: x + 1; torch.jit.script_if_tracing(f)(x), torch.jit.unused(f)(x), torch.jit.script(torch.nn.ReLU())(x)
    f = lambda x: x + 1; torch.jit.ignore(f)(x), torch.jit.export(f)(x)
    f = lambda x: x + 1; torch.jit.ignore(drop=True)(f)(x)
    torch.jit.trace(torch.sin, x)(x), torch.jit.trace(torch.sin, (x,), check_trace=False)(x)
    torch.overrides.has_torch_function((x, 1)), torch.overrides.is_tensor_like(x), torch.overrides.is_tensor_like(1.5)
    C = type("C", (), {"__torch_function__": lambda *a: 3}); torch.overrides.handle_torch_function(torch.sin, (C(),), 1)
    torch.compiler.is_compiling(), torch.compiler.is_dynamo_compiling(), torch.compiler.is_exporting()
    f = lambda x: x + 1; torch.compiler.disable(f)(x), torch.compiler.disable(recursive=False)(f)(x)
    f = lambda x: x + 1; torch.compiler.allow_in_graph(f)(x), torch.compiler.assume_constant_result(f)(x)
    torch.compiler.compile(lambda x: x + 1, backend="eager")(x), torch.compiler.cudagraph_mark_step_begin()
    torch.compiler.reset()
    torch.fx.wrap("len")
    torch.compiler.disable(torch.nn.ReLU())(x)
    f = lambda x: x + 1; torch.profiler.record_function("add")(f)(x)
    torch.quasirandom.SobolEngine(3).draw(5), torch.quasirandom.SobolEngine(2).draw_base2(3, dtype=torch.float64)
    e = torch.quasirandom.SobolEngine(5); e.draw(3), e.fast_forward(4).draw(2), e.reset().draw(), e.draw(2)
    torch.quasirandom.SobolEngine(5).fast_forward(6).draw()
    torch.quasirandom.SobolEngine(1), torch.quasirandom.SobolEngine(1, seed=3).draw(2, out=torch.empty(2, 1))
    torch.quasirandom.SobolEngine(0)
    torch.quasirandom.SobolEngine(21202)
    e = torch.quasirandom.SobolEngine(2); e.draw(3), e.draw_base2(2)
    torch.quasirandom.SobolEngine(2, scramble=True, seed=1).draw(64).mul(8).floor().sort(0).values
    A = torch.nn.attention; A.SDPBackend.MATH.value, A.sdpa_kernel([A.SDPBackend.MATH]).__enter__()
    torch.nn.attention.sdpa_kernel("math").__enter__()
    torch.onnx.export(torch.nn.ReLU(), (x,), __import__("io").BytesIO(), dynamo=False), torch.onnx.is_in_onnx_export()
    torch.onnx.select_model_mode_for_export(torch.nn.ReLU(), torch.onnx.TrainingMode.EVAL).__enter__()
    torch.jit.is_scripting(), torch.jit.is_tracing(), torch.jit.annotate(int, 3), torch.jit.Attribute(3, int)
    torch.jit.freeze(torch.jit.script(torch.nn.ReLU().eval()))(x)
    torch.jit.optimize_for_inference(torch.jit.script(torch.nn.ReLU().eval()))(x)
    torch.jit.freeze(torch.jit.script(torch.nn.ReLU()))
    torch.jit.trace_module(torch.nn.ReLU(), {"forward": x})(x)
    issubclass(torch.jit.ScriptModule, torch.nn.Module)
    torch.cuda.device_count()
    torch.cuda.empty_cache()
    torch.cuda.manual_seed(1)
    torch.cuda.manual_seed_all(1)
    torch.device("cuda" if torch.cuda.is_available() else "cpu").type
    torch.FloatTensor([1, 2])
    torch.BFloat16Tensor([1, 2])
    [isinstance(x, t) for t in (torch.FloatTensor, torch.LongTensor, torch.Tensor)]
    torch.FloatTensor.dtype == torch.float32
    torch.FloatTensor(torch.ones(2))
    torch.FloatTensor(torch.ones(2).long())
    x.type(torch.LongTensor)
    x.type("torch.DoubleTensor")
    x.new([1, 2])
    x.new(2, 3).shape
    f = torch.set_default_tensor_type; f(torch.DoubleTensor); a = torch.ones(1); f("torch.FloatTensor"); a
    torch.set_default_tensor_type(torch.FloatTensor)
    torch.FloatTensor(2, 3).shape
    torch.LongTensor([1, 2])
    torch.DoubleTensor([1, 2])
    torch.HalfTensor([1, 2])
    torch.IntTensor([1, 2])
    torch.ShortTensor([1, 2])
    torch.CharTensor([1, 2])
    torch.ByteTensor([1, 2])
    torch.BoolTensor([True, False])
    torch.device("cpu").type
    str(torch.device("cuda:1"))
    torch.device("cuda", 1).index
    torch.get_default_device().type
    torch.set_default_device("cpu"); a = torch.zeros(1); torch.set_default_device(None); a
    torch.Size([2, 3]).numel()
    repr(torch.Size([2, 3]))
    repr(torch.Size([2, 3])[1:])
    repr(torch.device("cuda:1"))
    torch.no_grad()(lambda: torch.is_grad_enabled())()
    torch.rand(size=(2, 3)).shape
    torch.is_inference_mode_enabled()
    torch.pi
    torch.inf
    torch.e
    torch.Tensor([1, 2])
    torch.Tensor(2, 3).shape
    isinstance(x, torch.Tensor)
    x.numpy().tolist()
    torch.set_printoptions(precision=2); a = repr(torch.tensor([1.234])); torch.set_printoptions(profile="default"); a
    repr(torch.arange(24).reshape(2, 3, 4))
    repr(torch.arange(2000))
    repr(torch.arange(3000.0).reshape(30, 100))
    repr(torch.tensor([1.5, float("nan"), float("inf")]))
    repr(torch.tensor([1e-5, 1.0]))
    repr(torch.tensor([1e10, 1.0]))
    repr(torch.tensor([1.0, 2.0, float("inf")]))
    repr(torch.arange(40))
    f"{torch.tensor(1.2345):.2f}"
    repr(torch.max(torch.tensor([1, 2]), 0))
    repr(torch.zeros(0, 3))
    repr(torch.tensor([]))
    repr(torch.zeros(0, dtype=torch.int32))
    repr(torch.finfo(torch.float16))
    repr(torch.iinfo(torch.int8))
all:
    repr(x)
    repr(s)
    repr(x > 1) if not x.is_complex() else ""
    torch.zeros_like(x)
    torch.ones_like(x)
    torch.ones_like(x, dtype=torch.float64)
    torch.empty_like(x).shape
    torch.full_like(x, 2)
    torch.full_like(x, 2.5)
    torch.full_like(x, 2.5, dtype=torch.float32)
    torch.set_printoptions(); repr(u)
"""
)

#: Methods that write their result into the tensor.
_UNARY_IN_PLACE = """
    absolute acos acosh arccos arccosh arcsin arcsinh arctan arctanh asin asinh atan atanh bitwise_not ceil
    conj_physical cos cosh deg2rad erf erfc exp2 expm1 fix floor frac log log10 log1p log2 nan_to_num
    negative rad2deg reciprocal relu
    round rsqrt sgn sigmoid sign sin sinc sinh square tan tanh triu trunc
""".split()
_BINARY_IN_PLACE = """
    arctan2 atan2 bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor copysign divide float_power
    floor_divide fmod gcd ge greater greater_equal gt heaviside hypot lcm ldexp le less less_equal logical_and
    logical_or logical_xor multiply ne nextafter not_equal remainder subtract true_divide xlogy
""".split()
SAMPLES += "all:\n" + "".join(f"    a = p.clone(); a.{f}_(); a\n" for f in _UNARY_IN_PLACE)
SAMPLES += "".join(f"    a = x.clone(); a.{f}_(p); a\n" for f in _BINARY_IN_PLACE)
SAMPLES += "floats:\n" + "".join(
    f"    a = q.clone(); a.{f}_(); a  # tolerance=1e-2\n" for f in "digamma erfinv i0 lgamma logit".split()
)
SAMPLES += """
reals:
    a = x.clone(); a.addcmul_(y, z); a
    a = x.clone(); a.addcdiv_(y, p); a
    a = x.clone(); a.clip_(0, 2); a
    a = x.clone(); a.clamp_max_(1); a
    a = x.clone(); a.clamp_min_(1); a
    a = x.clone(); a.cumsum_(1); a
    a = x.clone(); a.cumprod_(1); a
    a = x.clone(); a.masked_scatter_(b, z); a
    a = x.clone(); a.put_(torch.tensor([0, 4]), u[:2]); a
    a = x.clone(); a.scatter_reduce_(1, i, z, "amax"); a
    a = x.clone(); a.index_reduce_(1, k, z, "amin"); a
    a = x.clone(); a.requires_grad_(False); a.detach_()
    a = x.clone(); a.resize_as_(n); a
    a = x.clone(); a.swapaxes_(0, 1); a
    a = x.clone(); a.swapdims_(0, 1); a
    a = x.clone(); a.apply_(lambda v: v + 1); a
    a = x.clone(); a.map_(z, lambda v, w: v + w); a
    a = m[:2, :2].clone(); a.addmm_(x, n); a
    a = u[:2].clone(); a.addmv_(x, v); a
    a = m.clone(); a.addr_(u, v); a
    a = m.clone(); a.addbmm_(r, r.transpose(1, 2)); a
    a = r[:, :, :3].clone(); a.baddbmm_(r, r.transpose(1, 2)); a
    x.ndimension(), x.get_device(), x.storage_offset(), x.dim_order()
    x.is_cpu, x.is_meta, x.is_sparse, x.is_quantized, x.is_leaf, x.grad_fn is None
    x.is_conj(), x.is_neg(), x.is_inference(), x.layout
    x.is_set_to(x), x.is_set_to(x.clone())
    x.share_memory_()
wide:
    a = x.clone(); a.lerp_(y, 0.5); a
    a = x.clone(); a.renorm_(2, 0, 3); a
    a = p.clone(); a.igamma_(q); a  # tolerance=1e-4
    a = p.clone(); a.igammac_(q); a  # tolerance=1e-4
    a = p.clone(); a.add_(2).mvlgamma_(2); a  # tolerance=1e-4
"""

_WRITING = """
    abs_ acos_ acosh_ arccos_ arccosh_ arcsin_ arcsinh_ arctan_ arctanh_ asin_ asinh_ atan_ atanh_ ceil_ conj_physical_
    cos_ cosh_ deg2rad_ detach_ erf_ erfc_ exp2_ exp_ expm1_ fix_ floor_ frac_ i0_ log10_ log1p_ log2_ log_ logit_
    nan_to_num_ neg_ negative_ rad2deg_ reciprocal_ relu_ round_ rsqrt_ sigmoid_ sin_ sinc_ sinh_ sqrt_ square_ tan_
    tanh_ trunc_ zero_
""".split()
SAMPLES += "float32:\n" + "".join(f"    a = q.clone(); torch.{f}(a); a\n" for f in _WRITING)
SAMPLES += """
float32:
    a = x.clone(); torch.clamp_(a, 0, 1); a
    a = x.clone(); torch.clamp_max_(a, 1); a
    a = x.clone(); torch.clamp_min_(a, 1); a
    a = x.clone(); torch.clip_(a, 0, 1); a
    a = x.clone(); torch.fill_(a, 1); a
    a = i.clone(); torch.gcd_(a, j); a
    a = i.clone(); torch.lcm_(a, j); a
    a = x.clone(); torch.ldexp_(a, i); a
    a = x.clone(); torch.xlogy_(a, p); a
    a = x.clone(); torch.resize_as_(a, n); a
    a = x.clone(); torch.index_put_(a, (torch.tensor([0]),), s); a
    torch.abs_(1.5)
    torch.fill(x, 2)
    torch.frobenius_norm(x, (0, 1))
    torch.nuclear_norm(m)
    torch.get_device(x)
    torch.is_conj(x), torch.is_neg(x), torch.is_inference(x)
    torch.pdist(x)
    torch.pdist(u)
    torch.get_num_threads() > 0
    a = torch.get_num_threads(); torch.set_num_threads(1); b = torch.get_num_threads(); torch.set_num_threads(a); b
    torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("highest")
    torch.are_deterministic_algorithms_enabled()
    torch.use_deterministic_algorithms(False)
    torch.typename(x)
    torch.typename(3)
    torch.compile(torch.sin, disable=True)(x)
    torch.cond(True, lambda v: v + 1, lambda v: v - 1, (x,))
    torch.cond(torch.tensor(False), lambda v: v + 1, lambda v: v - 1, (x,))
    torch.while_loop(lambda n, v: n < 3, lambda n, v: (n + 1, v * 2), (torch.tensor(0), x))
"""

SAMPLES += """
all:
    x[:, None]
    x[..., None]
    x[torch.tensor(1)]
    x[: torch.tensor(1)]
    x[torch.tensor([0, 1]), torch.tensor([1, 2])]
    x[:, [0, 2]]
    x[(0, 1)]
    x[[True, False]]
    x[::-1]
    x[1.5]
    x["a"]
    x[-1]
    x[-5]
    x[..., -1, None]
    x[b.byte()]
    x[None, ..., None]
    x[torch.tensor([[0, 1], [1, 0]])]
    x[:, torch.tensor([True, False, True])]
    x[torch.tensor([], dtype=torch.int64)]
    x[[]]
    x[c]
    x[torch.tensor([7])]
    r[:, 0, [1, 2]]
    r[0, :, torch.tensor([1, 2])]
    r[torch.tensor([0]), :, torch.tensor([1, 2])]
    r[0, ..., [1, 2]]
    r[:, 0, b[:, :1].expand(2, 4)]
    r[[0, 1], 0]
    r[0, None, :, [1, 2]]
    a = r.clone(); a[0, :, torch.tensor([1, 2])] = 1; a
    a = r.clone(); a[0, :, [1, 2]] = x.T; a
    a = x.clone(); a[::-1] = 1; a
    s[None]
    s[...]
    s[0]
    s[()]
    a = x.clone(); a[:, 0] += s; a
    a = x.clone(); a[a == a[0, 0]] = 0; a
    a = x.clone(); a[torch.tensor([0, 0])] = 1; a
    a = x.clone(); a[b] = z[b]; a
    a = x.clone(); a[..., 0] = s; a
    a = x.clone(); a[0] = z[0, :1]; a
    a = x.clone(); a[:] = z; a
    a = x.clone(); a[[0]] = 1; a
    a = x.clone(); a[0, 1] = 2.5; a
    a = x.clone(); a[None] = z; a
    a = x.clone(); a[0] = z
    a = x.clone(); a[0] = "a"
    a = x.clone(); a[5] = 1
    a = x.clone(); a[0] = s; a
    a = x.clone(); a[:, k] = z; a
    a = x.clone(); a[0] = 1j; a
    a = x.clone(); a[0] = float("nan"); a[1]
    torch.exp(input=x)
    torch.add(x, other=y)
    torch.add(input=x, other=2)
    torch.mul(x, other=s)
    torch.eq(x, other=1)
    torch.add(x, y, out=torch.empty(2, 3, dtype=torch.complex128))
    torch.exp(x, y)
    torch.exp()
    torch.sum(x, foo=1)
    torch.maximum(x, 1)
    x + None
    x == None
    x == "a"
    x.add(y, 2, 3)
    x.sum(dim=0, keepdim=True, dtype=torch.float64)
    x.mean(dim=(0, 1))
    x.std(dim=1, unbiased=False)
    x.max(dim=1, keepdim=True)
    x.view(dtype=torch.uint8) if x.dtype == torch.int8 else x
    x.view(torch.int32) if x.dtype == torch.float32 else x
    x.T.contiguous().view(-1)
    x.flatten().unflatten(0, (2, 3))
    hash(x) == hash(x)
    x in [x]
    0 in x
    x is x.contiguous()
    x.clone() is x
    x.to(x.dtype) is x
    x.float() is x
    divmod(p, 2)
    reversed(u)
    x @ x
    x @ s
    m @ m @ u
    torch.stack([x, z]).sum((0, 2))
    torch.cat([u, v])[1:3]
    sum([s, t])
    sorted([s, t])[0] if not s.is_complex() else 0
    u.tolist() + v.tolist()
    max(u) if not u.is_complex() else 0
    [float(t) for t in u.abs()] if u.dtype != torch.bool else 0
"""

_FUNC = """
(lambda f: (torch.save([p, 2], f), f.seek(0), torch.load(f))[2])(__import__("io").BytesIO())
(lambda f: (torch.serialization.save(p, f), f.seek(0), torch.serialization.load(f))[2])(__import__("io").BytesIO())
torch.serialization.add_safe_globals([])
isinstance(torch.serialization.get_safe_globals(), list)
torch.serialization.clear_safe_globals()
torch.serialization.safe_globals([]).__enter__()
torch.distributions.kl_divergence(torch.distributions.Normal(0.0, 1.0), torch.distributions.Normal(p, 2.0))
torch.distributions.constraints.is_dependent(torch.distributions.constraints.positive)
callable(torch.distributions.register_kl(torch.distributions.Normal, torch.distributions.Normal))
torch.random.thread_safe_generator()
torch.distributed.is_available(), torch.distributed.is_initialized(), torch.distributed.is_torchelastic_launched()
torch.distributed.is_gloo_available(), torch.distributed.is_nccl_available(), torch.distributed.is_mpi_available()
torch.distributed.is_backend_available("gloo")
torch.distributed.all_reduce(p)
torch.distributed.reduce(p, 0)
torch.distributed.broadcast(p, 0)
torch.distributed.all_gather([p], p)
torch.distributed.all_gather_into_tensor(p, p)
torch.distributed.all_gather_object([None], 1)
torch.distributed.gather(p, [p])
torch.distributed.gather_object(1, [None])
torch.distributed.scatter(p, [p])
torch.distributed.scatter_object_list([None], [1])
torch.distributed.broadcast_object_list([1])
torch.distributed.reduce_scatter(p, [p])
torch.distributed.reduce_scatter_tensor(p, p)
torch.distributed.all_to_all([p], [p])
torch.distributed.all_to_all_single(p, p)
torch.distributed.barrier()
torch.distributed.monitored_barrier()
torch.distributed.send(p, 0)
torch.distributed.recv(p, 0)
torch.distributed.isend(p, 0)
torch.distributed.irecv(p, 0)
torch.distributed.get_rank()
torch.distributed.get_world_size()
torch.distributed.get_backend()
torch.distributed.get_process_group_ranks(None)
torch.distributed.get_global_rank(None, 0)
torch.distributed.get_group_rank(None, 0)
torch.distributed.get_node_local_rank(3)
torch.distributed.new_group([0])
torch.distributed.destroy_process_group()
torch.distributed.init_process_group("gloo")
(lambda f: 1)(lambda: torch.nn.parallel.data_parallel(torch.nn.Identity(), p))  # it needs a GPU
torch.backends.cuda.is_built(), torch.backends.cudnn.is_available(), torch.backends.cudnn.version()
torch.backends.mps.is_available(), torch.backends.mps.is_built()
type(torch.backends.mkl.is_available()), type(torch.backends.mkldnn.is_available())
type(torch.backends.openmp.is_available()), type(torch.backends.opt_einsum.is_available())
torch.backends.cuda.enable_flash_sdp(True), torch.backends.cuda.flash_sdp_enabled()
torch.backends.cuda.enable_mem_efficient_sdp(True), torch.backends.cuda.mem_efficient_sdp_enabled()
torch.backends.cuda.enable_math_sdp(True), torch.backends.cuda.math_sdp_enabled()
torch.backends.cuda.enable_cudnn_sdp(True), torch.backends.cuda.cudnn_sdp_enabled()
type(torch.backends.cuda.sdp_kernel())
type(torch.backends.cudnn.flags(enabled=True))
torch.cuda.current_device()
torch.cuda.get_device_name()
(lambda f: 1)(lambda: torch.cuda.set_device("cuda:7"))  # on a CPU, an error of PyTorch's build
torch.cuda.synchronize()
torch.cuda.is_bf16_supported(), torch.cuda.is_initialized()
torch.utils.checkpoint.noop_context_fn()[0].__enter__()
torch.random.fork_rng().__enter__()
torch.utils.checkpoint.checkpoint(lambda x: x * x, p, use_reentrant=False)
torch.utils.checkpoint.checkpoint_sequential([torch.sin, torch.cos], 2, p, use_reentrant=False)
torch.utils.data.default_collate([p, p])
torch.utils.data.default_convert([1, 2.5])
torch.utils.data.get_worker_info()
len(torch.utils.data.random_split(range(4), [3, 1]))
(lambda v: torch.autograd.grad((v ** 3).sum(), v))(p.detach().requires_grad_())
(lambda v: torch.autograd.grad([v * v, v.exp()], [v], [v.detach(), torch.ones_like(v)]))(q.detach().requires_grad_())
(lambda v: (torch.autograd.backward((v * v).sum()), v.grad))(p.detach().requires_grad_())
torch.autograd.gradcheck(lambda v: v * v, p.double().detach().requires_grad_())
torch.autograd.gradgradcheck(lambda v: v ** 3, p.double().detach().requires_grad_())
torch.autograd.functional.jacobian(lambda x: x * x.sum(), u)
torch.autograd.functional.hessian(lambda x: (x ** 3).sum(), u)
torch.autograd.functional.vjp(lambda x: x * x, u, w)
torch.autograd.functional.jvp(lambda x: x * x, u, w)
torch.autograd.functional.vhp(lambda x: (x ** 3).sum(), u, w)
torch.autograd.functional.hvp(lambda x: (x ** 3).sum(), u, w)
torch.func.grad(lambda x: (x * x).sum())(p)
torch.func.grad(lambda x, y: (x * y).sum(), argnums=1)(p, q)
torch.func.grad(lambda x: ((x * x).sum(), x), has_aux=True)(p)
torch.func.grad_and_value(lambda x: x.exp().sum())(q)
torch.func.vmap(lambda x: x.sum())(p)
torch.func.vmap(lambda x, y: x * y, in_dims=(0, None))(p, u)
torch.vmap(torch.dot)(p, q)
torch.func.jacrev(lambda x: x.sin())(u)
torch.func.jacfwd(lambda x: x.sin())(u)
torch.func.hessian(lambda x: (x ** 3).sum())(u)
torch.func.jvp(torch.sin, (u,), (w,))
torch.func.linearize(torch.exp, u)[1](w)
torch.func.vjp(torch.sin, u)[1](w)
""".strip().splitlines()
SAMPLES += "float32:\n" + "".join(f"    {line}\n" for line in _FUNC)
SAMPLES += """
float32:
    torch.promote_types_torch(torch.int8, torch.uint8)
    torch.promote_types_of_torch_inputs(i, x)
    torch.no_grad()(lambda: x + 1)()
    torch.inference_mode()(lambda: x + 1)()
    torch.enable_grad()(lambda: x + 1)()
"""

#: What is known to differ: an expression -> (why, its dtypes, the backends), the last two as texts, empty for all.
_OURS = "a name of latticework, which PyTorch does not have"
_WRAPS = "what an unsigned dtype makes of a negative float is not defined"
_FLOATS = "bfloat16 float16 float32 float64 complex64 complex128"
_INTS = "int8 int16 int32 int64 uint8 uint16 uint32 uint64"
_UINTS = "uint8 uint16 uint32 uint64"
_ZERO = "integers are not searched for a zero that they would be divided by"
_BRANCH = "the imaginary component of a logarithm may differ by 2 pi"
_VIEWS = (
    "a = x.clone(); v = a[0]; v.add_(v); a",
    "a = x.clone(); v = a.view(-1); v[0] = 1; a",
    "a = x.clone(); v = a.t(); v.zero_(); a",
)
_LATER = "the error is NumPy's, where the array is computed"
_BY_ZERO = "TensorFlow's kernel gives nan for some complex numbers divided by zero, where PyTorch has infinities"
_FROM_THE_END = "Dask's values are not looked at before they are computed"
DIFFERS: dict[str, tuple[str, str, str]] = {
    "x.to(torch.uint8)": (_WRAPS, _FLOATS, ""),
    "x.byte()": (_WRAPS, _FLOATS, ""),
    "x.to(y)": (_WRAPS, _FLOATS, ""),
    "a = x.clone(); a[0] = y[1]; a": (_WRAPS, _UINTS, ""),
    "a = x.clone(); a.copy_(y); a": (_WRAPS, _UINTS, ""),
    "torch.floor_divide(x, y)": (_ZERO, _INTS, ""),
    "torch.remainder(x, y)": (_ZERO, _INTS, ""),
    "torch.fmod(x, y)": (_ZERO, _INTS, ""),
    "torch.logaddexp(x, y)": (_BRANCH, _FLOATS, ""),
    "torch.ldexp(x, y)": (
        "PyTorch asks for a complex dtype of 32 bits, which is not here",
        "complex64 complex128",
        "numpy",
    ),
    **dict.fromkeys(
        ("torch.div(x, y)", "torch.divide(x, y)", "torch.true_divide(x, y)"),
        (_BY_ZERO, "complex64 complex128", "tensorflow"),
    ),
    "torch.pow(x, y)": ("JAX gives NaN for a complex power of zero", "", "jax"),
    "torch.float_power(x, y)": ("JAX gives NaN for a complex power of zero", "", "jax"),
    "torch.logcumsumexp(x, 1)": (_BRANCH, "complex64 complex128", ""),
    **dict.fromkeys(_VIEWS, ("this backend has no views", "", "jax tensorflow dask")),
    "torch.gather(x, 1, i + 5)": (_LATER, "", "dask"),
    "torch.scatter_add(x, 1, i + 7, z)": (_LATER, "", "dask"),
    "torch.gather(x, 1, i - 5)": (_LATER, "", "dask"),
    "torch.scatter_add(x, 1, i - 2, z)": (_FROM_THE_END, "", "dask"),
    "torch.index_add(x, 1, k - 3, z)": (_FROM_THE_END, "", "dask"),
    "torch.index_copy(x, 1, k - 3, z)": (_FROM_THE_END, "", "dask"),
    "torch.index_select(x, 0, torch.tensor([-1]))": (_FROM_THE_END, "", "dask"),
    "torch.unique_consecutive(i, return_inverse=True, return_counts=True)": (
        "extents that depend on values are not known before an array is computed",
        "",
        "dask",
    ),
    "torch.digamma(q)": ("at its pole 0 this backend has nan", _INTS, "jax tensorflow"),
    "torch.promote_types_torch(torch.int8, torch.uint8)": (_OURS, "", ""),
    "torch.promote_types_of_torch_inputs(i, x)": (_OURS, "", ""),
}

#: The functions whose signature differs, and why.
SIGNATURES: dict[str, str] = {
    "torch.promote_types_torch": _OURS,
    "torch.promote_types_of_torch_inputs": _OURS,
    "torch.lu": "PyTorch's takes any arguments, and chooses between two functions.",
}
