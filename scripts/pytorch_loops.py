"""Paths in Python's PyTorch, and loops that train them as core/nn trains ours. bench_pytorch.py has them; not run alone."""

import contextlib
import time

import torch
import torch.nn.functional as F
import transformers
from torch import nn

PARAMETERS_OF_BLOCK = (
    "input_layernorm", "self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj", "self_attn.o_proj",
    "post_attention_layernorm", "mlp.gate_proj", "mlp.up_proj", "mlp.down_proj",
)  # fmt: skip


class Block(nn.Module):
    def __init__(self, hidden, heads, mlp):
        super().__init__()
        self.heads = heads
        self.attention_norm = nn.RMSNorm(hidden, eps=1e-5)
        self.qkv = nn.Linear(hidden, 3 * hidden, bias=False)
        self.output = nn.Linear(hidden, hidden, bias=False)
        self.mlp_norm = nn.RMSNorm(hidden, eps=1e-5)
        self.gate_up = nn.Linear(hidden, 2 * mlp, bias=False)
        self.down = nn.Linear(mlp, hidden, bias=False)

    def forward(self, x, cosines, sines):
        rows, length, hidden = x.shape
        qkv = self.qkv(self.attention_norm(x)).view(rows, length, 3, self.heads, -1)
        q, k, v = (part.transpose(1, 2) for part in qkv.unbind(2))
        mixed = F.scaled_dot_product_attention(turned(q, cosines, sines), turned(k, cosines, sines), v, is_causal=True)
        x = x + self.output(mixed.transpose(1, 2).reshape(rows, length, hidden))
        gate, up = self.gate_up(self.mlp_norm(x)).chunk(2, -1)
        return x + self.down(F.silu(gate) * up)


def turned(x, cosines, sines):
    a, b = x.chunk(2, -1)
    return torch.cat((a * cosines - b * sines, b * cosines + a * sines), -1)


class Path(nn.Module):
    """core/nn's path: its parameters in the order of core/model's layout, and stacked as there."""

    def __init__(self, shape):
        super().__init__()
        self.blocks = nn.ModuleList(Block(shape["hidden"], shape["heads"], shape["mlp"]) for _ in range(shape["blocks"]))
        self.embedding = nn.Embedding(shape["vocabulary"], shape["hidden"])
        self.norm = nn.RMSNorm(shape["hidden"], eps=1e-5)
        size = shape["hidden"] // shape["heads"]
        angles = torch.outer(torch.arange(shape["sequence"]), 10000.0 ** (-torch.arange(0, size, 2) / size))
        self.register_buffer("cosines", angles.cos(), persistent=False)
        self.register_buffer("sines", angles.sin(), persistent=False)

    def forward(self, tokens):
        x = self.embedding(tokens)
        for block in self.blocks:
            x = block(x, self.cosines, self.sines)
        logits = F.linear(self.norm(x), self.embedding.weight)[:, :-1].float()
        return F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())

    def in_order(self):
        return list(self.parameters())


class LlamaPath(nn.Module):
    """OpenDiPaCo's path."""

    def __init__(self, shape):
        super().__init__()
        self.llama = transformers.LlamaForCausalLM(transformers.LlamaConfig(
            num_hidden_layers=shape["blocks"], hidden_size=shape["hidden"], num_attention_heads=shape["heads"],
            intermediate_size=shape["mlp"], vocab_size=shape["vocabulary"], max_position_embeddings=shape["sequence"],
            rms_norm_eps=1e-5, tie_word_embeddings=True, use_cache=False))  # fmt: skip

    def forward(self, tokens):
        logits = self.llama(tokens).logits[:, :-1].contiguous()
        return F.cross_entropy(logits.view(-1, logits.size(-1)), tokens[:, 1:].contiguous().view(-1))

    def in_order(self):
        named = dict(self.llama.model.named_parameters())
        names = [f"layers.{b}.{name}.weight" for b in range(self.llama.config.num_hidden_layers) for name in PARAMETERS_OF_BLOCK]
        return [named[name] for name in [*names, "embed_tokens.weight", "norm.weight"]]


class Loop:
    """Steps of one of them on `batches` [batches, rows, length]."""

    def __init__(self, path, parameters, batches, precision, *, compiled=False, plain=False):
        self.path, self.batches, self.plain = path, batches, plain
        at = 0
        with torch.no_grad():
            for parameter in path.in_order():
                parameter.copy_(parameters[at : at + parameter.numel()].view_as(parameter))
                at += parameter.numel()
        assert at == parameters.numel(), "a path has the parameters of the layout"
        self.forward = torch.compile(path) if compiled else path
        self.optimizer = torch.optim.AdamW(
            path.parameters(), lr=1e-3, betas=(0.9, 0.95), eps=1e-8, weight_decay=0.1, fused=None if plain else True)
        self.cast = lambda: torch.autocast("cpu", torch.bfloat16) if precision == "bf16" else contextlib.nullcontext()
        self.steps = 0

    def backward(self, tokens):
        self.optimizer.zero_grad(set_to_none=True)
        with self.cast():
            loss = self.forward(tokens)
        loss.backward()
        nn.utils.clip_grad_norm_(self.path.parameters(), 1.0)
        return loss.detach()

    def gradient(self):
        loss = self.backward(self.batches[0])
        return loss.item(), torch.cat([parameter.grad.flatten() for parameter in self.path.in_order()])

    def round(self, steps):
        start = time.process_time()
        for _ in range(steps):
            if self.plain:  # OpenDiPaCo sets the learning rate and waits for the loss at every step
                for group in self.optimizer.param_groups:
                    group["lr"] = 1e-3
            loss = self.backward(self.batches[self.steps % len(self.batches)])
            self.optimizer.step()
            self.steps += 1
            if self.plain:
                loss = float(loss)
        loss = float(loss)
        return (time.process_time() - start) / steps, loss
