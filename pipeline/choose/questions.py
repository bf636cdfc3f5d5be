"""The twelve questions that every change of the rules must answer sensibly: words and needs in one table."""

from __future__ import annotations

from dataclasses import dataclass

from pipeline.choose.need import Need

IMAGENET = 1_281_167  # images of ImageNet's training set, once over


@dataclass(frozen=True, slots=True)
class Question:
    """A question as a reader asks it, and what it means in the words of a need."""

    number: int
    words: str
    need: Need
    reading: str  # what was assumed where the question leaves room


QUESTIONS: tuple[Question, ...] = (
    Question(1, "800 dollars, one evening, QLoRA of an 8 B model",
             Need("qlora", "llama-3.1-8b-instruct", units=5e6, deadline_hours=5, budget_usd=800, max_gpus=2,
                  context=2048),
             "5 million tokens (some ten thousand examples) within five hours; one run, paid once"),
    Question(2, "1,500 dollars, chat with a 32 B model at 4 bit, quiet",
             Need("chat", "qwen2.5-32b-instruct", "q4_k_m", context=8192, budget_usd=1500, quiet=True, prefer="buy"),
             "8,192 tokens of context, 10 tokens a second, a card of one's own; quiet, for want of noise figures, "
             "is one card of at most 360 W with a fan of its own"),
    Question(3, "A student with 300 dollars and a 450 W power supply, CNNs",
             Need("cnn", "resnet-50", budget_usd=300, psu_w=450, max_gpus=1, prefer="buy"),
             "the fastest card that the money and the power supply allow"),
    Question(4, "A used card under 700 dollars with at least 24 GB that current CUDA still supports",
             Need("chat", "qwen2.5-32b-instruct", "q4_k_m", context=4096, budget_usd=700, min_memory_gb=24, used="only",
                  runs_on="cuda", prefer="buy", max_gpus=1),
             "what a 24 GB card is bought for: a 32 B model at 4 bit"),
    Question(5, "Four people, one 70 B model, under 10,000 dollars",
             Need("serve", "llama-3.3-70b-instruct", "int4", context=4096, batch=4, budget_usd=10_000, prefer="buy",
                  hours_per_week=40),
             "all four at once, 10 tokens a second each, 4,096 tokens of context each"),
    Question(6, "Serve an 8 B model to 100 users, cheapest per million tokens, rent",
             Need("serve", "llama-3.1-8b-instruct", "fp8", context=2048, batch=100, prefer="rent",
                  objective="cheapest_work", hours_per_week=168),
             "100 requests at once around the clock, 10 tokens a second each"),
    Question(7, "Train a ResNet-50 class CNN nightly on 300 W at most",
             Need("cnn", "resnet-50", units=16 * IMAGENET, deadline_hours=8, hours_per_week=56, max_power_w=300,
                  prefer="buy", objective="cheapest", max_gpus=1),
             "16 times over ImageNet in eight hours, every night"),
    Question(8, "Full fine-tuning of a 7 B model once, buy or rent",
             Need("full", "qwen2.5-7b-instruct", units=20e6, deadline_hours=48, context=2048),
             "20 million tokens within two days"),
    Question(9, "Pre-train 1 B parameters on 20 B tokens, rent",
             Need("train", "llama-3.2-1b-instruct", units=20e9, deadline_hours=14 * 24, prefer="rent", batch=4),
             "within two weeks, on one machine"),
    Question(10, "A lab with 8 slots and 60,000 dollars",
             Need("full", "llama-3.1-8b-instruct", context=2048, batch=1, budget_usd=60_000, slots=16, rack=True,
                  prefer="buy", objective="fastest", runs_on="cuda", used="no", units=100e6),
             "eight double-width slots in one server, new cards, PyTorch on CUDA; fastest full fine-tuning of an 8 B "
             "model"),
    Question(11, "No NVIDIA",
             Need("chat", "qwen2.5-32b-instruct", "q4_k_m", context=8192, runs_on="no-nvidia", prefer="buy"),
             "chat with a 32 B model at 4 bit"),
    Question(12, "A 120 B mixture-of-experts model at home",
             Need("chat", "gpt-oss-120b", "mxfp4", context=8192, prefer="buy", max_gpus=4),
             "one person, 10 tokens a second, at most four cards in one machine"),
)  # fmt: skip
