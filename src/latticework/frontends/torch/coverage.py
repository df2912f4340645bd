"""The parts of PyTorch that the dialect leaves out, and the differences, each with the reason."""

from __future__ import annotations

__all__ = ["ABSENT", "DIFFERENCES", "absence"]

#: A name, or a group of names -> why it is not there.
ABSENT: dict[str, str] = {
    "torch.autograd.graph, torch.autograd.profiler, torch.autograd.forward_ad": (
        "What is recorded is the backend's or latticework's. Derivatives along a direction are those of torch.func.jvp."
    ),
    "Tensor.storage, Tensor.untyped_storage": "The memory of one framework. DLPack hands a tensor's memory on.",
    "torch.sparse_csr_tensor, torch.sparse.softmax, torch.sparse.sampled_addmm": "Arrays are dense on every backend.",
    "torch.onnx.register_custom_op_symbolic, torch.onnx.unregister_custom_op_symbolic, torch.onnx.ExportableModule": (
        "Parts of PyTorch's own exporter. torch.onnx.export is there, over latticework's."
    ),
    "torch.multiprocessing.Process, torch.multiprocessing.set_start_method": (
        "No backend but PyTorch has tensors that processes share."
    ),
    "torch.quantize_per_tensor, Tensor.q_scale, Tensor.int_repr": "No backend computes in quantised dtypes.",
    "torch.complex32, torch.chalf": "No backend holds complex numbers of 16 bits each.",
    "torch.quint8, torch.qint8, torch.bits8": "No backend computes in quantised dtypes or bits.",
    "torch.distributed.fsdp, torch.distributed.rpc, torch.distributed.DeviceMesh, streams of torch.cuda": (
        "Devices and processes of one framework. What several processes share has no form here: there is one."
    ),
    "torch.optim.swap_in_optimizer_params_and_state": "Load a state dict into a second optimizer.",
    "torch.jit.save, torch.jit.load, torch.jit.fork": "Files and threads of TorchScript, a language of PyTorch's own.",
    "torch.fork, torch.wait": "Threads are the backend's matter.",
    "torch.cudnn_*, torch.mkldnn_*, torch.miopen_*, torch.fbgemm_*": "Kernels of one device's library.",
    "torch.utils.cpp_extension, torch.ops, torch.library": (
        "Kernels that are compiled for PyTorch. A function in Python, or lw.custom_gradient, runs on every backend."
    ),
    "torch.fx.symbolic_trace, torch.fx.GraphModule, torch.fx.Tracer, torch.fx.Interpreter, torch.export": (
        "Programs of PyTorch's own. lw.trace gives a program's graph, its source and a file."
    ),
    "torch.compiler.set_stance, torch.compiler.list_backends, torch.compiler.set_default_backend": (
        "Ways of PyTorch's compiler. torch.compile(f, disable=True) gives f as it is."
    ),
    "torch.hub, torch.utils.model_zoo": "They run code that they fetch. torch.load reads a file that is there.",
    "torch.utils.tensorboard": "It writes files of TensorBoard. The package tensorboardX has the same SummaryWriter.",
    "torch.profiler.profile, torch.profiler.schedule, torch.utils.benchmark, torch.utils.bottleneck": (
        "The time of one framework's kernels. The backend's own profiler, as jax.profiler, measures what it computes."
    ),
    "torch.package, torch.storage": "Files and memory of PyTorch's own. torch.save and torch.load exchange tensors.",
    "torch.quantization, torch.ao, torch.nn.quantized": "No backend computes in quantised dtypes.",
    "torch.nested, torch.masked": "Arrays are dense on every backend, without holes.",
    "torch.futures": "Threads of TorchScript, a language of PyTorch's own.",
    "torch.lobpcg": "Iterations that start from random numbers of PyTorch's.",
    "torch.geqrf, torch.orgqr, torch.ormqr": "Forms of one library, LAPACK. torch.qr has the factors.",
    "torch.sym_*": "Extents are ints here.",
}

#: A name -> what differs.
DIFFERENCES: dict[str, str] = {
    "random numbers": (
        "torch.rand and its kin have PyTorch's dtypes, shapes and distributions, and other numbers for the same seed: "
        "those of latticework.random, the same on every backend."
    ),
    "views": (
        "On NumPy and PyTorch a view shares memory, as in PyTorch. On the other backends, and where a tensor is "
        "recorded, a write to a view is a write to the tensor that it was made of, and to all of its views. Not there: "
        "views of tensors that are gone, which do not see each other's writes; writes to real, view_as and reshape_as, "
        "which are an error; on NumPy, writes to unfold, and of a recorded tensor to a view of one that is not, which "
        "are errors too. A detached tensor sees what is written to a recorded tensor later; on NumPy not so a view or "
        "NumPy's array that was made of the detached tensor before, which keeps the memory from before the write."
    ),
    "NumPy's arrays beside tensors": (
        "Functions take them as tensors, which PyTorch refuses. Operators answer as in PyTorch, where NumPy promotes "
        "and computes; tensor != array compares elements, and is True in PyTorch."
    ),
    "torch.load": (
        "Without weights_only=False no code of a file runs: what is not in the list of safe names is refused. "
        "NumPy's arrays, scalars and dtypes are in it, but for dtypes with fields, which PyTorch takes after "
        "add_safe_globals alone."
    ),
    "torch.view_as_complex, torch.view_as_real": "They give copies.",
    "Tensor.stride, Tensor.is_contiguous, Tensor.storage_offset": "They answer as for a contiguous tensor.",
    "torch.as_strided": "It gives a copy, of the elements in the order of a contiguous tensor.",
    "torch.svd_lowrank, torch.pca_lowrank": (
        "They give the greatest singular values and vectors themselves; PyTorch starts from random numbers, and comes "
        "close to them."
    ),
    "torch.sparse_coo_tensor, Tensor.to_sparse, torch.sparse": (
        "Backends hold all elements: the tensors are dense, and is_sparse is False. indices and values are those of "
        "the elements that are not zero."
    ),
    "torch.empty, Tensor.new_empty": "Their elements are zeros.",
    "recorded tensors": (
        "PyTorch records its own. On the other backends latticework does. A write to a constant that a derivative "
        "needs is PyTorch's error on NumPy; on JAX, TensorFlow and Dask the derivative is that of what was there."
    ),
    "Tensor.grad_fn": "Its name is that of latticework's function where PyTorch does not record.",
    "uint16, uint32, uint64": (
        "PyTorch has few kernels for them and raises NotImplementedError; here functions compute in them, where the "
        "rules of PyTorch give a dtype."
    ),
    "casts of negative floats to unsigned dtypes": "They are not defined in PyTorch, and the backend's here.",
    "division of integers by zero": "PyTorch raises a RuntimeError on CPUs; here the backend's result is given.",
    "logarithms of sums of complex numbers": "The imaginary component may differ by 2 pi.",
    "torch.jit.script, torch.jit.trace": "They give the function or the module as it is.",
    "torch.compile": (
        "latticework.compile traces the calls, and JAX and TensorFlow compile them; a function with a whole step of "
        "training is one program from its second call on; what cannot be traced, and all on "
        "PyTorch, runs as it is. What a function prints, it prints when it is traced. A compiled call has no second "
        "derivative, as in PyTorch."
    ),
    "torch.vmap, torch.func.jacrev": "The options randomness and chunk_size change nothing.",
    "writing into expanded tensors": (
        "It is refused. PyTorch refuses methods that read what they write, as add_, and lets x[0] = 1 write once."
    ),
    "NumPy's array on the left of an operator": (
        "It becomes a tensor, as on the right. PyTorch refuses most operators there, and x / tensor is of float64."
    ),
    "memory formats": "They are taken and change nothing: the backend decides how elements lie.",
    "torch.distributed, torch.nn.parallel": (
        "There is one process, whose tensors are the results of all collectives. A world of more is an error."
    ),
    "torch.quasirandom.SobolEngine": (
        "It takes the directions of its sequences from SciPy. Without scrambling the points are PyTorch's."
    ),
    "torch.compiler.disable": (
        "A compiled function that calls what is disabled runs as it is, all of it. PyTorch compiles what is around it."
    ),
    "torch.nn.attention.sdpa_kernel": "It changes nothing: the backend chooses its kernels.",
    "torch.backends": "Its switches keep what they are set to, and change nothing: the backend has its own.",
    "torch.cuda": "It tells of the GPUs of the backend in force; device='cuda' is the first of them.",
    "torch.optim": (
        "foreach, fused and capturable are taken and change nothing. A step that ends with an error has changed "
        "nothing: it puts new tensors into the state. SparseAdam refuses all gradients: they are dense."
    ),
    "torch.autocast": (
        "The functions of its tables cast, also where a program has imported them before its first block. No cast is "
        "kept for the next call. Blocks for cuda change nothing where the backend has no GPU."
    ),
    "warnings": "On NumPy an infinity or nan that an operation makes may warn, as NumPy does.",
    "torch.gather, torch.scatter, torch.index_select": "Negative positions count from the end.",
    "error texts": "They are in latticework's words; the classes are PyTorch's.",
}


def absence(name: str) -> str:
    """Return the message for a missing name of PyTorch, with the reason if it is known."""
    reasons = [why for names, why in ABSENT.items() if f"torch.{name}" in names.replace(", ", " ").split()]
    return " ".join([f"torch.{name}: latticework's dialect of PyTorch has no such name.", *reasons])
