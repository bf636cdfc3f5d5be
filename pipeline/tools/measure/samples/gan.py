"""Train a GAN: a generator draws pictures, a discriminator tells them from real ones, each learns from the other.

Random pictures stand in for the real ones, so nothing beautiful comes out; the two-sided step is what is shown.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional


@dataclass(frozen=True)
class Size:
    """How wide both networks are, how often the picture doubles from 4x4 pixels, and the length of the noise."""

    width: int
    doublings: int
    noise: int


UNIT = "images"
SIZES = {
    "tiny": Size(8, 1, 16),
    "small": Size(32, 3, 64),
    "full": Size(64, 4, 128),
}


class Gan(nn.Module):
    """The two networks, mirror images of each other."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.noise = size.noise
        widest = size.width * 2**size.doublings
        draw: list[nn.Module] = [nn.ConvTranspose2d(size.noise, widest, 4), nn.BatchNorm2d(widest), nn.ReLU(True)]
        look: list[nn.Module] = [nn.Conv2d(3, size.width, 3, padding=1), nn.LeakyReLU(0.2, True)]
        for step in range(size.doublings):
            width = widest // 2**step
            draw += [nn.ConvTranspose2d(width, width // 2, 4, 2, 1), nn.BatchNorm2d(width // 2), nn.ReLU(True)]
            width = size.width * 2**step
            look += [nn.Conv2d(width, 2 * width, 4, 2, 1), nn.LeakyReLU(0.2, True)]
        self.generator = nn.Sequential(*draw, nn.Conv2d(size.width, 3, 3, padding=1), nn.Tanh())
        self.discriminator = nn.Sequential(*look, nn.Conv2d(widest, 1, 4), nn.Flatten(0))

    def draw(self, count: int, device: torch.device) -> torch.Tensor:
        """Draw pictures from noise."""
        return self.generator(torch.randn(count, self.noise, 1, 1, device=device))


def build(size: str) -> nn.Module:
    """Build both networks."""
    return Gan(SIZES[size])


def make_batch(size: str, count: int, device: torch.device) -> torch.Tensor:
    """Make random pictures that play the real ones."""
    pixels = 4 * 2 ** SIZES[size].doublings
    return torch.rand(count, 3, pixels, pixels, device=device) * 2 - 1


def discriminator_loss(gan: nn.Module, real: torch.Tensor) -> torch.Tensor:
    """Say how badly the discriminator tells real pictures from drawn ones; the generator does not learn from it."""
    drawn = gan.draw(len(real), real.device).detach()
    return -(functional.logsigmoid(gan.discriminator(real)) + functional.logsigmoid(-gan.discriminator(drawn))).mean()


def generator_loss(gan: nn.Module, real: torch.Tensor) -> torch.Tensor:
    """Say how badly the generator deceives the discriminator."""
    return -functional.logsigmoid(gan.discriminator(gan.draw(len(real), real.device))).mean()


def train(size: str, device: torch.device, steps: int = 10, count: int = 8) -> list[tuple[float, float]]:
    """Train for some steps and give both losses of each."""
    torch.manual_seed(0)
    gan = build(size).to(device)
    learns_to_look = torch.optim.Adam(gan.discriminator.parameters(), lr=2e-4, betas=(0.5, 0.999))
    learns_to_draw = torch.optim.Adam(gan.generator.parameters(), lr=2e-4, betas=(0.5, 0.999))
    real = make_batch(size, count, device)
    losses = []
    for _ in range(steps):
        learns_to_look.zero_grad(set_to_none=True)
        looking = discriminator_loss(gan, real)
        looking.backward()
        learns_to_look.step()

        learns_to_draw.zero_grad(set_to_none=True)
        drawing = generator_loss(gan, real)
        drawing.backward()
        learns_to_draw.step()
        losses.append((looking.item(), drawing.item()))
    return losses


def main() -> None:
    """Read the command line and train."""
    parser = argparse.ArgumentParser(description="Train a GAN on random pictures.")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--tiny", action="store_true")
    args = parser.parse_args()
    losses = train("tiny" if args.tiny else "small", torch.device(args.device))
    print(f"discriminator loss: {losses[0][0]:.3f} at first, {losses[-1][0]:.3f} after {len(losses)} steps")
    print(f"generator loss: {losses[0][1]:.3f} at first, {losses[-1][1]:.3f} after {len(losses)} steps")


if __name__ == "__main__":
    main()
# mypy: allow-subclassing-any
# ruff: noqa: T201
