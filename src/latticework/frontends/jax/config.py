"""`jax.config`, with the 64-bit switch and the mode of promotion that are in it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from enum import StrEnum
from types import TracebackType
from typing import Any

from .core import dialect, enabled, set_strict, set_x64, strict

__all__ = ["config", "enable_x64"]

#: Options that are kept and change nothing here.
_KEPT: dict[str, Any] = {
    "jax_platform_name": "", "jax_platforms": None, "check_vma": False, "eager_constant_folding": False,
    "jax2tf_associative_scan_reductions": False, "jax2tf_default_native_serialization": True,
    "jax_allow_f16_reductions": True, "jax_array_garbage_collection_guard": None, "jax_auto_pcast": True,
    "jax_backend_target": "", "jax_bcoo_cusparse_lowering": False, "jax_captured_constants_report_frames": 0,
    "jax_captured_constants_warn_bytes": 2000000000, "jax_check_proxy_envs": True, "jax_check_static_indices": False,
    "jax_check_tracer_leaks": False, "jax_compilation_cache_check_contents": False, "jax_compilation_cache_dir": None,
    "jax_compilation_cache_expect_pgle": False, "jax_compilation_cache_include_metadata_in_key": False,
    "jax_compilation_cache_max_size": -1, "jax_compiler_detailed_logging_min_ops": 10,
    "jax_compiler_enable_remat_pass": True, "jax_cpu_collectives_implementation": "gloo",
    "jax_cpu_enable_async_dispatch": True, "jax_cpu_get_global_topology_timeout_minutes": 5,
    "jax_cpu_get_local_topology_timeout_minutes": 2, "jax_cross_host_transfer_socket_address": "",
    "jax_cross_host_transfer_timeout_seconds": None, "jax_cross_host_transfer_transfer_size": None,
    "jax_cross_host_transport_addresses": "", "jax_cuda_visible_devices": "all", "jax_custom_vjp3": False,
    "jax_debug_infs": False, "jax_debug_key_reuse": False, "jax_debug_leaked_clients_on_clear_backends": False,
    "jax_debug_log_modules": "", "jax_debug_nans": False, "jax_default_device": None,
    "jax_default_matmul_precision": None, "jax_default_prng_impl": "threefry2x32", "jax_disable_bwd_checks": False,
    "jax_disable_jit": False, "jax_disable_most_optimizations": False, "jax_disable_vmap_shmap_error": False,
    "jax_disallow_mesh_context_manager": False, "jax_distributed_debug": False, "jax_dump_ir_modes": "stablehlo",
    "jax_dump_ir_to": "", "jax_embedded_constants_max_bytes": 32, "jax_enable_checks": False,
    "jax_enable_compilation_cache": True, "jax_enable_custom_prng": False, "jax_enable_pgle": False,
    "jax_enable_preemption_service": True, "jax_enable_recoverability": False,
    "jax_error_checking_behavior_divide": "ignore", "jax_error_checking_behavior_nan": "ignore",
    "jax_error_checking_behavior_oob": "ignore", "jax_exec_time_optimization_effort": 0.0,
    "jax_experimental_unsafe_xla_runtime_errors": False, "jax_explain_cache_misses": False,
    "jax_explicit_x64_dtypes": "warn", "jax_export_calling_convention_version": 10,
    "jax_export_ignore_forward_compatibility": False, "jax_force_dcn_cross_host_transfers": False,
    "jax_high_dynamic_range_gumbel": False, "jax_hlo_source_file_canonicalization_regex": None,
    "jax_include_debug_info_in_dumps": True, "jax_include_full_tracebacks_in_locations": True,
    "jax_legacy_prng_key": "allow", "jax_log_checkpoint_residuals": False,
    "jax_log_compiles": False, "jax_logging_level": "NOTSET", "jax_memory_fitting_effort": 0.0,
    "jax_memory_fitting_level": "O2", "jax_mock_gpu_topology": "", "jax_mosaic_allow_hlo": False,
    "jax_mutable_array_checks": True, "jax_no_execution": False, "jax_no_tracing": False, "jax_num_cpu_devices": -1,
    "jax_numpy_rank_promotion": "allow",
    "jax_oneapi_visible_devices": "all", "jax_optimization_level": "UNKNOWN", "jax_pallas_enable_debug_checks": False,
    "jax_pallas_poison_buffers": False, "jax_pallas_use_mosaic_gpu": True, "jax_pallas_verbose_errors": False,
    "jax_persistent_cache_enable_xla_caches": "xla_gpu_per_fusion_autotune_cache_dir",
    "jax_persistent_cache_min_compile_time_secs": 1.0, "jax_persistent_cache_min_entry_size_bytes": 0,
    "jax_pgle_aggregation_percentile": 90, "jax_pgle_profiling_runs": 3, "jax_pjrt_client_create_options": None,
    "jax_pprint_use_color": True, "jax_ragged_dot_use_gpu_pallas_triton_lowering": False,
    "jax_ragged_dot_use_ragged_dot_instruction": True, "jax_raise_persistent_cache_errors": False,
    "jax_random_seed_offset": 0, "jax_refs_to_pins": False, "jax_remat3": False,
    "jax_remove_custom_partitioning_ptr_from_cache_key": False, "jax_remove_size_one_mesh_axis_from_type": False,
    "jax_rocm_visible_devices": "all", "jax_scan3": False,
    "jax_send_traceback_to_runtime": "OFF", "jax_serialization_version": 0,
    "jax_share_binary_between_hosts": False, "jax_share_binary_between_hosts_timeout_ms": 1200000,
    "jax_softmax_custom_jvp": False, "jax_sort_devices_by_process_index": True, "jax_source_url_schema": None,
    "jax_thread_guard": False, "jax_threefry_gpu_kernel_lowering": False, "jax_threefry_partitionable": True,
    "jax_traceback_filtering": "auto", "jax_traceback_in_locations_limit": 100,
    "jax_tracer_error_num_traceback_frames": 5, "jax_transfer_guard": None,
    "jax_transfer_guard_device_to_device": None, "jax_transfer_guard_device_to_host": None,
    "jax_transfer_guard_host_to_device": None, "jax_use_direct_linearize": True,
    "jax_use_emit_pipeline_primitive": False, "jax_use_magma": "auto", "jax_use_shardy_partitioner": True,
    "jax_use_simplified_jaxpr_constants": False, "jax_xla_backend": "", "jax_xla_profile_version": 0,
    "mock_num_gpu_processes": 0,
}  # fmt: skip


class NumpyDtypePromotion(StrEnum):
    """The values of ``jax_numpy_dtype_promotion``: whether strong dtypes promote, or weak operands alone."""

    STANDARD = "standard"
    STRICT = "strict"


#: Options that change something, with the functions that read and set them.
_IN_FORCE: dict[str, tuple[Callable[[], Any], Callable[[Any], None]]] = {
    "jax_enable_x64": (enabled, lambda val: set_x64(bool(val))),
    "jax_numpy_dtype_promotion": (
        lambda: NumpyDtypePromotion.STRICT if strict() else NumpyDtypePromotion.STANDARD,
        lambda val: set_strict(NumpyDtypePromotion(val) is NumpyDtypePromotion.STRICT),
    ),
}


class Config:
    """The options of JAX.

    ``jax_enable_x64`` is the 64-bit switch, ``jax_numpy_dtype_promotion`` the mode of promotion; the others are kept
    and change nothing.
    """

    def update(self, name: str, val: Any) -> None:
        """Set an option.

        Raises
        ------
        AttributeError: there is no option of the name.
        """
        if name in _IN_FORCE:
            _IN_FORCE[name][1](val)
        elif name in _KEPT:
            _KEPT[name] = val
        else:
            raise AttributeError(f"Unrecognized config option: {name}")

    def parse_flags_with_absl(self) -> None:
        """Nothing: options are not read from the command line."""

    config_with_absl = parse_flags_with_absl

    def read(self, name: str) -> Any:
        """The value of an option."""
        return getattr(self, name)

    @property
    def values(self) -> dict[str, Any]:
        """All options by name."""
        return {**{name: read() for name, (read, _) in _IN_FORCE.items()}, **_KEPT}

    def __getattr__(self, name: str) -> Any:
        if name == "x64_enabled":
            return enabled()
        if name in _IN_FORCE:
            return _IN_FORCE[name][0]()
        if name in _KEPT:
            return _KEPT[name]
        raise AttributeError(f"Unrecognized config option: {name}")


config = Config()


class enable_x64:
    """``with jax.enable_x64(True):`` sets the 64-bit switch in a block."""

    def __init__(self, new_val: bool = True) -> None:
        self.before, self.value = enabled(), bool(new_val)

    def __enter__(self) -> None:
        self.before = enabled()
        set_x64(self.value)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        set_x64(self.before)


def _as_in_process() -> enable_x64:
    jax = sys.modules.get("jax")
    return enable_x64(enabled() if jax is None else jax.config.jax_enable_x64)


dialect.as_in_process = _as_in_process
dialect.as_in_rules = lambda rules: enable_x64(not rules.startswith("jax-x32"))
