"""Programs of PyTorch with derivatives beyond the gradient of a loss, and on graphs."""

from __future__ import annotations

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.func import functional_call, grad, jacrev, vmap


def equation(start):
    """Solves u'' = -u by a network, with second derivatives in the loss and LBFGS."""

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 8), nn.Tanh(), nn.Linear(8, 1))

        def forward(self, x):
            return self.layers(x)

    model = start(Net())
    x = torch.linspace(0, 3, 8).reshape(-1, 1).requires_grad_(True)
    edge = torch.tensor([[0.0], [3.0]])
    optimizer = torch.optim.LBFGS(model.parameters(), lr=0.5, max_iter=4, line_search_fn="strong_wolfe")
    losses = []

    def closure():
        optimizer.zero_grad()
        u = model(x)
        du = torch.autograd.grad(u, x, torch.ones_like(u), create_graph=True)[0]
        ddu = torch.autograd.grad(du, x, torch.ones_like(du), create_graph=True)[0]
        loss = (ddu + u).square().mean() + (model(edge) - torch.sin(edge)).square().mean()
        loss.backward()
        losses.append(loss.item())
        return loss

    for _ in range(2):
        optimizer.step(closure)
    return losses[:6]


def graph(start):
    """Classifies the nodes of a graph by two convolutions over their neighbours."""

    class GraphConvolution(nn.Module):
        def __init__(self, inside, outside):
            super().__init__()
            self.weight = nn.Parameter(torch.FloatTensor(inside, outside))
            self.bias = nn.Parameter(torch.zeros(outside))
            nn.init.xavier_uniform_(self.weight)

        def forward(self, x, adjacency):
            return torch.spmm(adjacency, x @ self.weight) + self.bias

    class GCN(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second = GraphConvolution(5, 6), GraphConvolution(6, 3)

        def forward(self, x, adjacency):
            return F.log_softmax(self.second(F.relu(self.first(x, adjacency)), adjacency), dim=1)

    rng = np.random.default_rng(7)
    edges = torch.from_numpy(rng.integers(0, 9, (2, 14)))
    features = torch.from_numpy(rng.random((9, 5)).astype(np.float32))
    labels, train = torch.from_numpy(rng.integers(0, 3, 9)), torch.arange(9) < 6
    adjacency = torch.sparse_coo_tensor(edges, torch.ones(edges.shape[1]), (9, 9)).to_dense().clamp(max=1)
    adjacency = torch.maximum(adjacency, adjacency.t()) + torch.eye(9)
    degree = adjacency.sum(1).pow(-0.5)
    adjacency = (degree[:, None] * adjacency * degree[None, :]).to_sparse()
    model = start(GCN())
    optimizer = torch.optim.Adam(model.parameters(), lr=0.05, weight_decay=5e-4)
    losses = []
    for _ in range(3):
        model.train()
        optimizer.zero_grad()
        output = model(features, adjacency)
        loss = F.nll_loss(output[train], labels[train])
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    model.eval()
    right = model(features, adjacency)[~train].argmax(dim=1) == labels[~train]
    return [*losses, right.float().mean().item()]


def gradients_of_samples(start):
    """The gradient of each sample of a batch by torch.func, clipped, with noise, as for private training."""
    model = start(nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 3)))
    rng = np.random.default_rng(8)
    x = torch.from_numpy(rng.standard_normal((5, 4)).astype("float32"))
    y = torch.from_numpy(rng.integers(0, 3, 5))

    def loss_of_one(params, x, y):
        return F.cross_entropy(functional_call(model, params, (x.unsqueeze(0),)), y.unsqueeze(0))

    losses = []
    for _ in range(2):
        params = {k: v.detach() for k, v in model.named_parameters()}
        each = vmap(grad(loss_of_one), in_dims=(None, 0, 0))(params, x, y)
        norms = torch.stack([g.flatten(1).norm(dim=1) for g in each.values()]).norm(dim=0)
        factor = (0.5 / (norms + 1e-6)).clamp(max=1.0)
        with torch.no_grad():
            for name, p in model.named_parameters():
                p -= 0.5 * torch.einsum("n,n...->...", factor, each[name]) / len(x)
        losses += [F.cross_entropy(model(x), y).item(), *norms.tolist()]
    jacobian = vmap(jacrev(model))(x)
    return [*losses, jacobian.pow(2).sum().item()]
