"""Feed a GPU: worker processes prepare the next batches, and no copy from pinned memory holds up the program."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import torch
from torch.utils.data import DataLoader

Batch = tuple[torch.Tensor, torch.Tensor]


class Pictures:
    """Pictures that are mirrored at random when they are asked for, in place of files that are read and decoded."""

    def __init__(self, count: int, side: int) -> None:
        self.pixels = torch.arange(count, dtype=torch.float32).view(count, 1, 1, 1).expand(count, 3, side, side)

    def __len__(self) -> int:
        """Say how many pictures there are."""
        return len(self.pixels)

    def __getitem__(self, index: int) -> Batch:
        """Give one picture, perhaps mirrored, and its number as the label."""
        picture = self.pixels[index]
        return (picture.flip(-1) if torch.rand(()) < 0.5 else picture).clone(), torch.tensor(index)


def loader(data: Pictures, batch: int, workers: int, device: torch.device) -> DataLoader[Batch]:
    """Hand out shuffled batches; with workers above zero, other processes make them while the GPU trains."""
    return DataLoader(
        data,
        batch,
        shuffle=True,
        num_workers=workers,
        persistent_workers=workers > 0,  # or the processes start anew in every epoch
        prefetch_factor=4 if workers else None,  # batches that each worker keeps ready
        pin_memory=device.type == "cuda",
    )


def on_device(batches: DataLoader[Batch], device: torch.device) -> Iterator[Batch]:
    """Copy each batch to the device; from pinned memory the program need not wait for the copy."""
    for pictures, labels in batches:
        yield pictures.to(device, non_blocking=True), labels.to(device, non_blocking=True)


def main() -> None:
    """Read the command line and go through the pictures once."""
    parser = argparse.ArgumentParser(description="Load batches while the GPU works.")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--tiny", action="store_true")
    args = parser.parse_args()
    count, side, workers = (32, 8, 0) if args.tiny else (4096, 224, 4)
    device = torch.device(args.device)
    seen = sum(len(labels) for _, labels in on_device(loader(Pictures(count, side), 8, workers, device), device))
    print(f"{seen} pictures arrived")


if __name__ == "__main__":
    main()
# ruff: noqa: T201
