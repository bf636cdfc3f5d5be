"""All sources, one line each: the refresh and the pages read this list and nothing else."""

from __future__ import annotations

from types import ModuleType

from pipeline.sources import (
    amd_rocm_gpu_arch_specs,
    anycloud_catalog,
    aws_p5_price_history,
    buttke_ebay_gpu_prices,
    docyx_pc_part_dataset,
    epoch_ml_hardware,
    fsdl_cloud_gpus,
    gpu_poet_prices,
    gpu_poet_specs,
    gpu_price_feed,
    hholtmann_llm_consumer_gpu,
    huggingface_hardware,
    lambda_deeplearning_benchmark,
    lexsi_gpu_price_dashboard,
    lincoln_ai_accelerators,
    llmfit_community,
    mlperf_inference,
    mlperf_training,
    nvidia_cutlass_compute_capability,
    nvidia_megatron_bridge,
    nvidia_tensorrt_llm,
    skypilot_catalog,
    stas00_ml_engineering,
    te42kyfo_gpu_stream,
    teoampatzis_gpu_prices_gr,
    wikipedia_gpu_info,
    xiongjiedai_llm_inference,
)

# A source is a module with SOURCE (metadata) and parse(snapshots) -> rows. Within one kind, the order here is the
# order in which claims win.
MODULES: tuple[ModuleType, ...] = (
    amd_rocm_gpu_arch_specs,
    nvidia_cutlass_compute_capability,
    epoch_ml_hardware,
    stas00_ml_engineering,
    wikipedia_gpu_info,
    lincoln_ai_accelerators,
    huggingface_hardware,
    gpu_poet_specs,
    lambda_deeplearning_benchmark,
    mlperf_inference,
    mlperf_training,
    nvidia_tensorrt_llm,
    nvidia_megatron_bridge,
    xiongjiedai_llm_inference,
    hholtmann_llm_consumer_gpu,
    llmfit_community,
    te42kyfo_gpu_stream,
    gpu_price_feed,
    lexsi_gpu_price_dashboard,
    anycloud_catalog,
    skypilot_catalog,
    aws_p5_price_history,
    fsdl_cloud_gpus,
    docyx_pc_part_dataset,
    buttke_ebay_gpu_prices,
    teoampatzis_gpu_prices_gr,
    gpu_poet_prices,
)
