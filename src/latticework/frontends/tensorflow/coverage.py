"""The parts of TensorFlow that the dialect leaves out, and the differences, each with the reason."""

from __future__ import annotations

__all__ = ["ABSENT", "DIFFERENCES", "absence"]

#: A group of names, or one name -> why it is not there.
ABSENT: dict[str, str] = {
    "tf.string, tf.strings, tf.as_string, tf.string dtypes": "There is no dtype of text.",
    "tf.resource, tf.variant, tf.qint8 and its kin": "There are no dtypes of handles, and none of quantised numbers.",
    "tf.RaggedTensor, tf.ragged": "Tensors have one extent along each axis.",
    "tf.SparseTensor, tf.sparse": "Tensors hold all of their elements.",
    "tf.data.TextLineDataset, tf.data.TFRecordDataset, tf.data.FixedLengthRecordDataset, tf.io, tf.train": (
        "Files of TensorFlow's are neither read nor written; read them in Python, and take "
        "tf.data.Dataset.from_generator."
    ),
    "tf.saved_model": (
        "Its files hold graphs of TensorFlow's. Keep the variables' numpy() in a file of NumPy's, or export a function "
        "with lw.to_onnx."
    ),
    "tf.summary": "Its files are TensorBoard's; print values, or write them with a library of your own.",
    "tf.distribute, tf.tpu": "There is one process and one copy of each variable; see lw.using(device=...).",
    "tf.config, tf.debugging, tf.profiler": "They are about the process, not about arrays.",
    "tf.keras, tf.optimizers, tf.losses, tf.metrics": (
        "Keras is a library over arrays. Build layers with tf.Module and tf.Variable, and take gradients with "
        "tf.GradientTape; or take torch.nn and torch.optim of latticework's dialect of PyTorch, which run on every "
        "backend too."
    ),
    "tf.Graph, tf.compat, tf.Operation, tf.raw_ops": "There are no graphs to build by hand; see lw.trace.",
    "tf.TypeSpec, tf.TensorArraySpec, tf.type_spec_from_value": "Functions are not traced by specs; see tf.TensorSpec.",
    "tf.lookup, tf.queue, tf.CriticalSection": "Tables and queues are no array mathematics.",
    "tf.linalg.LinearOperator and its kin": "Operators without their matrices are not written yet.",
    "tf.linalg.tridiagonal_solve, tf.linalg.banded_triangular_solve, tf.linalg.eigh_tridiagonal, tf.linalg.lu_solve": (
        "The solvers of packed matrices are not written yet."
    ),
    "tf.signal.mdct, tf.signal.inverse_mdct, tf.signal.fftnd and its kin": "They are not written yet.",
    "tf.image: colours, distortions, boxes, encodings": "Only sizes, borders and turns are written.",
    "tf.nn: sampled losses, CTC, fractional and argmax pooling, 1-D and 3-D transposes, dilation2d": (
        "They are not written yet."
    ),
    "tf.histogram_fixed_width, tf.quantization, tf.sets, tf.edit_distance": "They are not written yet.",
}

#: A name, or what it is about -> how the dialect differs.
DIFFERENCES: dict[str, str] = {
    "tf.function": "The function runs as it is: nothing is traced, so that Python's side effects happen in every call.",
    "tf.GradientTape": (
        "It keeps the calls of watched tensors and makes them again under lw.vjp. "
        "What leaves the tensors (numpy(), float()) is a constant, as in TensorFlow."
    ),
    "tf.gradients": (
        "It raises RuntimeError, as outside of tf.function in TensorFlow: there is no graph. See tf.GradientTape."
    ),
    "tf.Module": "Lists and dictionaries in its attributes stay Python's own, where TensorFlow wraps them.",
    "tf.TensorArray": "In tf.function a write changes the array too, and not only what it returns.",
    "tf.data.Dataset": (
        "A program's functions are called for each element, where TensorFlow traces them once. Where values decide on "
        "a shape, element_spec makes the first element, and tells its dtypes and number of axes. Elements are made in "
        "the thread that asks for them."
    ),
    "tf.data.Dataset.shuffle": (
        "The order for a seed is another one than TensorFlow's, and the same on every backend. random and "
        "sample_from_datasets draw other numbers too."
    ),
    "tf.random.Generator": "States are TensorFlow's; the numbers, and those of split and make_seeds, are other ones.",
    "tf.custom_gradient": "The function takes tensors by position only, and no variables from outside.",
    "tf.print": "It prints when the program runs: what is compiled by lw.compile prints while it is traced, by shapes.",
    "tf.random": "The numbers are other ones than TensorFlow's, of the same distributions, shapes and dtypes.",
    "tf.nn.dropout": "The elements that are left out are other ones than TensorFlow's.",
    "kernels": (
        "TensorFlow refuses dtypes that it has no kernel for on a device with NotFoundError or UnimplementedError, "
        "such as products of uint8 on the CPU. The dialect computes them."
    ),
    "bool * tensor": "The operator refuses bool tensors as tf.multiply does; TensorFlow's takes them for logical_and.",
    "integers // 0": "The result is that of the backend; TensorFlow raises InvalidArgumentError on the CPU.",
    "tf.unique": "On Dask it is refused: how many values are distinct is not known before it computes.",
    "tf.while_loop": "Shape invariants are not checked.",
    "tf.map_fn": "No elements are an error: the shape of the result is not known without a call of the function.",
    "tf.vectorized_map": "The function is called for each row.",
    "tf.device": "It changes nothing: tensors lie on the device of the policy in force, see lw.using.",
    "tf.math.bincount": "It counts all values together: axis=-1, which counts by rows, is refused.",
    "tf.math.top_k": "The values are always sorted.",
    "tf.experimental.numpy": (
        "Integers become floats in its functions without experimental_enable_numpy_behavior too, where TensorFlow "
        "fails with AttributeError."
    ),
    "tf.experimental.numpy.experimental_enable_numpy_behavior": (
        "With prefer_float32 the values that Python's numbers become are narrow; promotion is NumPy's all the same."
    ),
}


def absence(name: str) -> str:
    """Return what the error says for a name that the dialect does not have."""
    first = name.partition(".")[0]
    listed = ({n.strip() for n in group.split(",")} for group in ABSENT)
    why = next(
        (ABSENT[g] for g, names in zip(ABSENT, listed, strict=True) if {f"tf.{name}", f"tf.{first}"} & names), ""
    )
    return f"tensorflow.{name}: latticework's dialect of tensorflow has no such name{f'. {why}' if why else ''}"
