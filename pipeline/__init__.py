"""GPU Almanac: from vendor sheets, benchmarks and prices to a cleaned, sourced dataset and its pages."""
