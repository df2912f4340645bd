"""What ``torch.nn.init``, ``torch.nn.utils`` and functions of modules are compared on."""

# ruff: noqa: E501 - a sample is one line
from __future__ import annotations

_DRAWN = (
    "normal_ orthogonal_ trunc_normal_ uniform_ xavier_normal_ xavier_uniform_ kaiming_normal_ kaiming_uniform_".split()
)
_DRAWN += "normal orthogonal uniform xavier_normal xavier_uniform kaiming_normal kaiming_uniform".split()
_MODULE = 'a = torch.nn.ParameterDict({"weight": x})'
_LAYER = "a = torch.nn.Module().eval(); a.weight = torch.nn.Parameter(x); a.bias = None; a.out_features = 2"
_BATCH = (
    "d = torch.nn.Module().eval(); d.running_mean, d.running_var, d.eps, d.weight, d.bias, d.num_features = "
    "u[:2], v[1:], 1e-3, w[:2], u[1:], 2"
)

SAMPLES = (
    "wide:\n"
    + "\n".join(f"    torch.nn.init.{f}(x)  # shape" for f in _DRAWN)
    + f"""
    torch.nn.init.sparse_(x, 0.3)  # shape
    torch.nn.init.sparse(x, 0.3)  # shape
    torch.nn.init.calculate_gain("tanh")
    torch.nn.init.constant_(x, 2.5); x
    torch.nn.init.constant(x, 2.5)
    torch.nn.init.ones_(x)
    torch.nn.init.zeros_(x)
    torch.nn.init.eye_(x)
    torch.nn.init.eye(x)
    torch.nn.init.dirac_(ker)
    torch.nn.init.dirac(r)
    torch.nn.utils.get_total_norm([x, u])
    x.requires_grad_(); x.grad = y; torch.nn.utils.clip_grad_norm_(x, 1.0)
    x.requires_grad_(); x.grad = y; torch.nn.utils.clip_grad_norm(x, 1.0); x.grad
    x.requires_grad_(); x.grad = y; torch.nn.utils.clip_grads_with_norm_(x, 1.0, s); x.grad
    x.requires_grad_(); x.grad = y; torch.nn.utils.clip_grad_value_(x, 1.5); x.grad
    torch.nn.utils.parameters_to_vector([x, u])
    torch.nn.utils.vector_to_parameters(torch.arange(9).to(x.dtype), [x, u]); [x, u]
    {_MODULE}; torch.nn.utils.weight_norm(a).weight.detach()
    {_MODULE}; torch.nn.utils.remove_weight_norm(torch.nn.utils.weight_norm(a)).weight.detach()
    {_MODULE}; torch.nn.utils.spectral_norm(a).weight.detach()  # shape
    {_MODULE}; torch.nn.utils.remove_spectral_norm(torch.nn.utils.spectral_norm(a)).weight.detach()  # shape
    {_MODULE}; torch.nn.utils.parametrizations.weight_norm(a).weight.detach()
    {_MODULE}; torch.nn.utils.parametrizations.spectral_norm(a).weight.detach()  # shape
    {_MODULE}; torch.nn.utils.parametrizations.orthogonal(a).weight.detach()  # shape
    {_MODULE}; torch.nn.utils.parametrize.register_parametrization(a, "weight", torch.nn.Sequential()).weight.detach()
    {_MODULE}; a = torch.nn.utils.parametrizations.weight_norm(a); torch.nn.utils.parametrize.remove_parametrizations(a, "weight").weight.detach()
    {_MODULE}; [torch.nn.utils.parametrize.is_parametrized(a), torch.nn.utils.parametrize.type_before_parametrizations(a).__name__]
    {_MODULE}; torch.nn.utils.parametrize.transfer_parametrizations_and_params(a, torch.nn.ParameterDict({{"weight": y}})).weight.detach()
    {_MODULE}; a = torch.nn.utils.parametrizations.weight_norm(a); e = torch.nn.utils.parametrize.cached(); e.__enter__(); z = a.weight is a.weight; e.__exit__(None, None, None); z
    {_LAYER}; {_BATCH}; torch.nn.utils.fuse_conv_bn_eval(a, d).weight.detach()
    {_LAYER}; {_BATCH}; torch.nn.utils.fuse_linear_bn_eval(a, d).bias.detach()
    torch.nn.utils.fuse_conv_bn_weights(x, None, u[:2], v[1:], 1e-3, w[:2], None)[0].detach()
    torch.nn.utils.fuse_linear_bn_weights(x, u[:2], u[:2], v[1:], 1e-3, w[:2], w[:2])[1].detach()
    {_MODULE}; torch.nn.utils.convert_conv2d_weight_memory_format(a, torch.channels_last).weight.detach()
    {_MODULE}; torch.nn.utils.convert_conv3d_weight_memory_format(a, torch.channels_last_3d).weight.detach()
    torch.nn.utils.skip_init(torch.nn.Module)
    {_MODULE}; torch.nn.utils.prune.identity(a, "weight").weight_mask
    {_MODULE}; torch.nn.utils.prune.l1_unstructured(a, "weight", 0.5).weight.detach()
    {_MODULE}; torch.nn.utils.prune.ln_structured(a, "weight", 1, 2, 0).weight_mask
    {_MODULE}; torch.nn.utils.prune.random_unstructured(a, "weight", 0.5).weight_mask.sum()
    {_MODULE}; torch.nn.utils.prune.random_structured(a, "weight", 1, 1).weight_mask.sum()
    {_MODULE}; torch.nn.utils.prune.custom_from_mask(a, "weight", b).weight_mask
    {_MODULE}; torch.nn.utils.prune.remove(torch.nn.utils.prune.identity(a, "weight"), "weight").weight.detach()
    {_MODULE}; torch.nn.utils.prune.global_unstructured([(a, "weight")], torch.nn.utils.prune.L1Unstructured, amount=2); [a.weight_mask, torch.nn.utils.prune.is_pruned(a)]
    torch.nn.utils.rnn.invert_permutation(k)
    torch.nn.utils.rnn.pad_sequence([u, u[:2]])
    torch.nn.utils.rnn.pad_sequence([u, u[:2]], padding_side="left", padding_value=2.0)
    torch.nn.utils.rnn.pack_sequence([u, u[:2]])
    torch.nn.utils.rnn.unpack_sequence(torch.nn.utils.rnn.pack_sequence([u, u[:2]]))
    torch.nn.utils.rnn.pack_padded_sequence(x, [2, 2, 1])
    torch.nn.utils.rnn.pack_padded_sequence(x, torch.tensor([1, 3]), True, False)
    torch.nn.utils.rnn.pad_packed_sequence(torch.nn.utils.rnn.pack_padded_sequence(x, [2, 2, 1]), True, 3.0, 4)
    torch.nn.utils.rnn.unpad_sequence(x, torch.tensor([1, 3]), True)
    torch.nn.utils.stateless.functional_call(torch.nn.Sequential(), {{}}, x)
    torch.func.functional_call(torch.nn.Sequential(), {{}}, (x,), strict=True)
    torch.nn.parameter.is_lazy(torch.nn.UninitializedParameter())
    {_MODULE}; torch.func.stack_module_state([a, a])[0]["weight"].detach()
"""
)

DIFFERS: dict[str, tuple[str, str, str]] = {}
SIGNATURES: dict[str, str] = {}
