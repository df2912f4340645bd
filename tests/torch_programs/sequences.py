"""Programs of PyTorch about sequences. `start` gives a module the initial state that is the same in each run."""

from __future__ import annotations

import math

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn, optim
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence


def lstm_tagger(start):
    """Tags the words of sentences of several lengths, one sentence at a time."""
    sentences = [("the dog ate the apple", "D N V D N"), ("everybody read that book", "N V D N"), ("dogs read", "N V")]
    data = [(words.split(), tags.split()) for words, tags in sentences]
    words = {w: i for i, w in enumerate(dict.fromkeys(w for s, _ in data for w in s))}
    tags = {"D": 0, "N": 1, "V": 2}

    class Tagger(nn.Module):
        def __init__(self, vocabulary, size, hidden, classes):
            super().__init__()
            self.embeddings = nn.Embedding(vocabulary, size)
            self.lstm = nn.LSTM(size, hidden, bidirectional=True)
            self.tag = nn.Linear(2 * hidden, classes)

        def forward(self, sentence):
            out, _ = self.lstm(self.embeddings(sentence).view(len(sentence), 1, -1))
            return F.log_softmax(self.tag(out.view(len(sentence), -1)), dim=1)

    model = start(Tagger(len(words), 5, 4, len(tags)))
    loss_function = nn.NLLLoss()
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    losses = []
    for _ in range(2):
        for sentence, target in data:
            model.zero_grad()
            scores = model(torch.tensor([words[w] for w in sentence], dtype=torch.long))
            loss = loss_function(scores, torch.tensor([tags[t] for t in target], dtype=torch.long))
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
    with torch.no_grad():
        scores = model(torch.tensor([words[w] for w in data[0][0]]))
    return [*losses, *scores.argmax(1).tolist()]


def translation(start):
    """Translates sequences of several lengths: they are packed for the encoder, and the decoder sees the answers."""
    rng = np.random.default_rng(1)
    source = [torch.from_numpy(rng.integers(1, 9, n)) for n in (5, 3, 4)]
    target = [s.flip(0) for s in source]
    lengths = torch.tensor([len(s) for s in source])
    x, y = pad_sequence(source, batch_first=True), pad_sequence(target, batch_first=True)

    class Seq2Seq(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed = nn.Embedding(10, 6, padding_idx=0)
            self.encoder = nn.GRU(6, 8, batch_first=True)
            self.decoder = nn.GRU(6, 8, batch_first=True)
            self.out = nn.Linear(16, 10)

        def forward(self, x, lengths, y):
            packed = pack_padded_sequence(self.embed(x), lengths, batch_first=True, enforce_sorted=False)
            states, hidden = self.encoder(packed)
            states, _ = pad_packed_sequence(states, batch_first=True)
            first = torch.full((len(y), 1), 9)
            out, _ = self.decoder(self.embed(torch.cat([first, y[:, :-1]], dim=1)), hidden)
            scores = torch.bmm(out, states.transpose(1, 2))
            scores = scores.masked_fill((x == 0).unsqueeze(1), float("-inf"))
            return self.out(torch.cat([out, scores.softmax(-1) @ states], dim=-1))

    model = start(Seq2Seq())
    optimizer = optim.Adam(model.parameters(), lr=0.02)
    criterion = nn.CrossEntropyLoss(ignore_index=0)
    losses = []
    for _ in range(3):
        optimizer.zero_grad()
        logits = model(x, lengths, y)
        loss = criterion(logits.reshape(-1, 10), y.reshape(-1))
        loss.backward()
        norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm=0.5)
        optimizer.step()
        losses += [loss.item(), norm.item()]
    return losses


def transformer(start):
    """Predicts the next word by a transformer, with a learning rate that rises and falls."""

    class Positions(nn.Module):
        def __init__(self, size, longest=16):
            super().__init__()
            position = torch.arange(longest).unsqueeze(1)
            div = torch.exp(torch.arange(0, size, 2) * (-math.log(10000.0) / size))
            pe = torch.zeros(longest, size)
            pe[:, 0::2] = torch.sin(position * div)
            pe[:, 1::2] = torch.cos(position * div)
            self.register_buffer("pe", pe)

        def forward(self, x):
            return x + self.pe[: x.size(1)]

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed = nn.Embedding(12, 8)
            self.positions = Positions(8)
            layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True, norm_first=True)
            self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
            self.out = nn.Linear(8, 12, bias=False)
            self.out.weight = self.embed.weight

        def forward(self, x):
            mask = nn.Transformer.generate_square_subsequent_mask(x.size(1))
            return self.out(self.encoder(self.positions(self.embed(x) * math.sqrt(8)), mask=mask, is_causal=True))

    tokens = torch.from_numpy(np.random.default_rng(2).integers(0, 12, (3, 7)))
    model = start(Model())
    optimizer = optim.AdamW(model.parameters(), lr=0.01, betas=(0.9, 0.95), weight_decay=0.1)
    scheduler = optim.lr_scheduler.LambdaLR(optimizer, lambda step: min((step + 1) / 2, 1 / math.sqrt(step + 1)))
    losses = []
    for _ in range(3):
        logits = model(tokens[:, :-1])
        loss = F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        scheduler.step()
        losses += [loss.item(), scheduler.get_last_lr()[0]]
    model.eval()
    with torch.inference_mode():
        return [*losses, model(tokens)[0, -1].max().item()]


def word2vec(start):
    """Learns vectors of words from the words around them, against words that are drawn."""
    text = "we are about to study the idea of a process and the idea of a spell".split()
    vocabulary = sorted(set(text))
    number = {w: i for i, w in enumerate(vocabulary)}
    contexts = [[*text[i - 2 : i], *text[i + 1 : i + 3]] for i in range(2, len(text) - 2)]
    flat = torch.tensor([number[w] for c in contexts for w in c])
    offsets = torch.arange(len(contexts)) * 4
    centre = torch.tensor([number[w] for w in text[2:-2]])
    negative = torch.from_numpy(np.random.default_rng(3).integers(0, len(vocabulary), (len(centre), 3)))

    class CBOW(nn.Module):
        def __init__(self, count, size):
            super().__init__()
            self.inside = nn.EmbeddingBag(count, size, mode="mean")
            self.outside = nn.Embedding(count, size)

        def forward(self, context, offsets, centre, negative):
            around = self.inside(context, offsets)
            good = torch.einsum("bd,bd->b", around, self.outside(centre))
            bad = torch.bmm(self.outside(negative), around.unsqueeze(2)).squeeze(2)
            return -(F.logsigmoid(good) + F.logsigmoid(-bad).sum(1)).mean()

    model = start(CBOW(len(vocabulary), 5))
    optimizer = optim.Adagrad(model.parameters(), lr=0.5)
    losses = []
    for _ in range(3):
        optimizer.zero_grad()
        loss = model(flat, offsets, centre, negative)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    vectors = F.normalize(model.outside.weight.detach(), dim=1)
    return [*losses, (vectors @ vectors.T).sum().item()]
