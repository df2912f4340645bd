"""Losses on JAX, each as one program."""

from __future__ import annotations

from .compiled import compiled

binary_cross_entropy = compiled("nn.binary_cross_entropy")
binary_cross_entropy_with_logits = compiled("nn.binary_cross_entropy_with_logits")
cosine_embedding_loss = compiled("nn.cosine_embedding_loss")
cosine_similarity = compiled("nn.cosine_similarity")
cross_entropy = compiled("nn.cross_entropy")
gaussian_nll_loss = compiled("nn.gaussian_nll_loss")
hinge_embedding_loss = compiled("nn.hinge_embedding_loss")
huber_loss = compiled("nn.huber_loss")
kl_div = compiled("nn.kl_div")
l1_loss = compiled("nn.l1_loss")
margin_ranking_loss = compiled("nn.margin_ranking_loss")
mse_loss = compiled("nn.mse_loss")
nll_loss = compiled("nn.nll_loss")
pairwise_distance = compiled("nn.pairwise_distance")
poisson_nll_loss = compiled("nn.poisson_nll_loss")
smooth_l1_loss = compiled("nn.smooth_l1_loss")
triplet_margin_loss = compiled("nn.triplet_margin_loss")
