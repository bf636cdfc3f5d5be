"""All sources, one line each: the refresh and the pages read this list and nothing else."""

from __future__ import annotations

from pipeline.intake.sources.base import listed

# A source is a module with SOURCE (metadata) and parse(snapshots) -> rows. Within one kind, the order here is the
# order in which claims win.
MODULES = listed(
    "amd_rocm_gpu_arch_specs",
    "nvidia_cutlass_compute_capability",
    "nvidia_gpu_operator_support",
    "nvidia_open_gpu_kernel_modules",
    "epoch_ml_hardware",
    "stas00_ml_engineering",
    "wikipedia_gpu_info",
    "lincoln_ai_accelerators",
    "huggingface_hardware",
    "gpu_poet_specs",
    "buildcores_open_db",
    "lambda_deeplearning_benchmark",
    "mlperf_inference",
    "mlperf_training",
    "nvidia_tensorrt_llm",
    "nvidia_megatron_bridge",
    "xiongjiedai_llm_inference",
    "hholtmann_llm_consumer_gpu",
    "llmfit_community",
    "djangodevreng_dgx_spark",
    "gpustack_performance_lab",
    "huggingface_peft",
    "kyuz0_toolboxes",
    "localscore_insights",
    "mlenergy",
    "mosaicml_llm_foundry",
    "sdnext_benchmark",
    "semianalysis_inferencemax",
    "timm_benchmarks",
    "te42kyfo_gpu_stream",
    "gpu_price_feed",
    "lexsi_gpu_price_dashboard",
    "anycloud_catalog",
    "skypilot_catalog",
    "aws_p5_price_history",
    "fsdl_cloud_gpus",
    "docyx_pc_part_dataset",
    "buttke_ebay_gpu_prices",
    "teoampatzis_gpu_prices_gr",
    "gpu_poet_prices",
    "united_compute_amazon",
)
