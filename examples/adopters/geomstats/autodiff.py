"""Derivatives: latticework's, mapped over points as geomstats means them.

A function with one point gives one value. With several points along a first axis it gives as many values, and each
derivative is that of one value by its own point.
"""

from ._policy import BACKEND, namespace


def _differentiable(f):
    """Return f, or on NumPy a function that says that there are no derivatives, as geomstats' users expect there."""
    if BACKEND != "numpy":
        return f

    def refused(*_args, **_options):
        from geomstats.exceptions import AutodiffNotImplementedError

        raise AutodiffNotImplementedError("The numpy backend has no derivatives. Set GEOMSTATS_BACKEND=pytorch.")

    return refused


def _over_points(derivative, point_ndim):
    """Map a function of one point over points along a first axis."""

    def call(point):
        if point.ndim == point_ndim:
            return derivative(point)
        return namespace().stack([derivative(one) for one in point])

    return call


def custom_gradient(*grad_funcs):
    """Give a function its derivatives by each argument: functions of all arguments."""

    def decorator(func):
        if BACKEND == "numpy":
            return func

        def with_rule(*args):
            def pulled_back(cotangent):
                xp = namespace()
                slopes = [slope(*args) for slope in grad_funcs]
                weights = [xp.reshape(cotangent, cotangent.shape + (1,) * (s.ndim - cotangent.ndim)) for s in slopes]
                return tuple(xp.multiply(w, s) for w, s in zip(weights, slopes))

            return func(*args), pulled_back

        def call(*args):
            return namespace().custom_gradient(with_rule)(*args)

        return call

    return decorator


@_differentiable
def jacobian(func):
    """Make the function of the derivatives of all that func returns."""

    def call(point):
        return namespace().jacrev(func)(point)

    return call


@_differentiable
def jacobian_vec(func, point_ndim=1):
    """Make the function of the derivatives of func at each of several points."""
    return _over_points(jacobian(func), point_ndim)


@_differentiable
def hessian(func, func_out_ndim=0):
    """Make the function of the second derivatives of func; numbers and vectors have the same."""

    def call(point):
        xp = namespace()
        return xp.jacrev(xp.jacrev(func))(point)

    return call


@_differentiable
def hessian_vec(func, point_ndim=1, func_out_ndim=0):
    """Make the function of the second derivatives of func at each of several points."""
    return _over_points(hessian(func), point_ndim)


@_differentiable
def jacobian_and_hessian(func, func_out_ndim=0):
    """Make the function of the first and second derivatives of func."""
    return lambda *args: (jacobian(func)(*args), hessian(func)(*args))


@_differentiable
def value_and_jacobian(func):
    """Make the function of the value and the first derivatives of func."""
    return lambda *args, **options: (func(*args, **options), jacobian_vec(func)(*args, **options))


@_differentiable
def value_jacobian_and_hessian(func, func_out_ndim=0):
    """Make the function of the value and the first and second derivatives of func."""
    return lambda *args: (func(*args), jacobian_vec(func)(*args), hessian_vec(func)(*args))


@_differentiable
def value_and_grad(func, argnums=0, point_ndims=1):
    """Make the function of the values of func and their derivatives by the arguments with these numbers.

    `point_ndims` says how many axes a point has, for all arguments or for each.
    """

    def call(*points, **options):
        xp = namespace()
        ndims = (point_ndims,) * len(points) if isinstance(point_ndims, int) else point_ndims
        batch = max((x.shape[: x.ndim - n] for x, n in zip(points, ndims)), key=len)
        points = [xp.broadcast_to(x, batch + x.shape[x.ndim - n :]) for x, n in zip(points, ndims)]

        def total(*points):
            values = func(*points, **options)
            return xp.sum(values), values

        (_, values), slopes = xp.value_and_grad(total, argnums, has_aux=True)(*points)
        return values, slopes

    return call
