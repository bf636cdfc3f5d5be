"""Train on several GPUs with DistributedDataParallel: one process a GPU, each with its share of the batch.

Every process holds the whole model; after each backward pass the gradients are averaged over all of them, so the
copies stay equal. Start it with `torchrun --nproc-per-node 2 ddp.py --device cuda`, or without torchrun with
`python ddp.py --device cpu --processes 2`, which starts the processes itself.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from pathlib import Path

import torch
from torch import distributed, multiprocessing, nn
from torch.nn import functional
from torch.nn.parallel import DistributedDataParallel

# Who carries the gradients: NCCL between GPUs of NVIDIA and, under the same name, of AMD; gloo between processors.
BACKENDS = {"cuda": "nccl", "xpu": "xccl", "cpu": "gloo"}


def train(rank: int, processes: int, device_type: str, tiny: bool, steps: int = 20) -> None:
    """Train as one of several processes that already know each other."""
    device = torch.device(device_type, rank % torch.accelerator.device_count() if device_type != "cpu" else None)
    torch.manual_seed(0)
    width, count = (32, 64) if tiny else (1024, 4096)
    model = nn.Sequential(nn.Linear(16, width), nn.Tanh(), nn.Linear(width, 1)).to(device)
    parallel = DistributedDataParallel(model)
    optimizer = torch.optim.AdamW(parallel.parameters(), lr=1e-2)
    inputs = torch.randn(count, 16, device=device)
    targets = inputs.sum(1, keepdim=True).sin()
    mine = slice(rank, None, processes)  # every process takes other rows of the batch
    for step in range(steps):
        optimizer.zero_grad(set_to_none=True)
        loss = functional.mse_loss(parallel(inputs[mine]), targets[mine])
        loss.backward()  # here the gradients are averaged
        optimizer.step()
        if rank == 0 and step in (0, steps - 1):
            print(f"step {step + 1}: loss {loss.item():.3f}", flush=True)
    if rank == 0:
        print(f"largest difference between the copies of the weights: {spread(model, processes):g}", flush=True)
    else:
        spread(model, processes)


def spread(model: nn.Module, processes: int) -> float:
    """Say how far the copies of the weights are apart; all processes must call it."""
    mine = torch.cat([parameter.detach().flatten() for parameter in model.parameters()])
    copies = [torch.empty_like(mine) for _ in range(processes)]
    distributed.all_gather(copies, mine)
    return float(max((copy - mine).abs().max().item() for copy in copies))


def join(rank: int, processes: int, device_type: str, tiny: bool, meeting: str | None) -> None:
    """Meet the other processes, train, and part."""
    where = f"file://{meeting}" if meeting else "env://"
    if device_type != "cpu":
        torch.accelerator.set_device_index(rank % torch.accelerator.device_count())
    distributed.init_process_group(BACKENDS[device_type], init_method=where, rank=rank, world_size=processes)
    train(rank, processes, device_type, tiny)
    distributed.destroy_process_group()


def main() -> None:
    """Read the command line; under torchrun be one of the processes, otherwise start them."""
    parser = argparse.ArgumentParser(description="Train on several GPUs.")
    parser.add_argument("--device", choices=BACKENDS, default="cpu")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--tiny", action="store_true")
    args = parser.parse_args()
    if "RANK" in os.environ:
        join(int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"]), args.device, args.tiny, None)
        return
    with tempfile.TemporaryDirectory() as folder:
        shared = (args.processes, args.device, args.tiny, str(Path(folder) / "meeting"))
        multiprocessing.spawn(join, shared, nprocs=args.processes)


if __name__ == "__main__":
    main()
# ruff: noqa: T201
