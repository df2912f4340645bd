"""Programs of PyTorch that learn what to do."""

from __future__ import annotations

import random
from collections import deque, namedtuple

import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical, Normal

Transition = namedtuple("Transition", "state action next_state reward done")


def q_learning(start):
    """Learns the values of actions from what it remembers, with a second network that follows."""

    def network():
        return nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))

    policy, target = start(network()), network()
    target.load_state_dict(policy.state_dict())
    target.eval()
    optimizer = torch.optim.AdamW(policy.parameters(), lr=1e-2, amsgrad=True)
    criterion = nn.SmoothL1Loss()
    rng, dice, memory = np.random.default_rng(5), random.Random(5), deque(maxlen=30)
    state = torch.tensor(rng.standard_normal(4), dtype=torch.float32).unsqueeze(0)
    losses = []
    for _ in range(12):
        with torch.no_grad():
            action = policy(state).max(1).indices.view(1, 1)
        following = torch.tensor(rng.standard_normal(4), dtype=torch.float32).unsqueeze(0)
        reward = torch.tensor([1.0 if action.item() == 0 else -0.5])
        memory.append(Transition(state, action, following, reward, torch.tensor([rng.random() < 0.2])))
        state = following
        if len(memory) < 8:
            continue
        batch = Transition(*zip(*dice.sample(list(memory), 8)))
        values = policy(torch.cat(batch.state)).gather(1, torch.cat(batch.action))
        with torch.no_grad():
            later = target(torch.cat(batch.next_state)).max(1).values
            later[torch.cat(batch.done)] = 0.0
        loss = criterion(values, (torch.cat(batch.reward) + 0.9 * later).unsqueeze(1))
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_value_(policy.parameters(), 100)
        optimizer.step()
        losses.append(loss.item())
        kept, new = target.state_dict(), policy.state_dict()
        for key in new:
            kept[key] = new[key] * 0.1 + kept[key] * 0.9
        target.load_state_dict(kept)
    return losses


def policy_gradient(start):
    """Improves a policy with a clipped ratio of probabilities, for actions that are numbers and for real ones."""

    class Policy(nn.Module):
        def __init__(self):
            super().__init__()
            self.body = nn.Sequential(nn.Linear(3, 8), nn.Tanh())
            self.choice, self.mean, self.value = nn.Linear(8, 4), nn.Linear(8, 2), nn.Linear(8, 1)
            self.log_std = nn.Parameter(torch.zeros(2))

        def forward(self, x):
            h = self.body(x)
            choice, move = Categorical(logits=self.choice(h)), Normal(self.mean(h), self.log_std.exp())
            return choice, move, self.value(h).squeeze(-1)

    rng = np.random.default_rng(6)
    states = torch.tensor(rng.standard_normal((5, 3)), dtype=torch.float)
    chosen, moved = torch.tensor(rng.integers(0, 4, 5)), torch.tensor(rng.standard_normal((5, 2)), dtype=torch.float)
    rewards, returns, total = rng.random(5), [], 0.0
    for r in rewards[::-1]:
        total = r + 0.9 * total
        returns.insert(0, total)
    returns = torch.tensor(returns, dtype=torch.float32)
    returns = (returns - returns.mean()) / (returns.std() + 1e-8)
    model = start(Policy())
    optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-2)
    with torch.no_grad():
        choice, move, values = model(states)
        before = choice.log_prob(chosen) + move.log_prob(moved).sum(-1)
        advantage = returns - values
    losses = []
    for _ in range(3):
        choice, move, values = model(states)
        ratio = (choice.log_prob(chosen) + move.log_prob(moved).sum(-1) - before).exp()
        clipped = torch.clamp(ratio, 0.8, 1.2)
        gain = torch.min(ratio * advantage, clipped * advantage).mean()
        entropy = choice.entropy().mean() + move.entropy().sum(-1).mean()
        loss = -gain + 0.5 * (returns - values).pow(2).mean() - 0.01 * entropy
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses += [loss.item(), entropy.item()]
    return losses
