"""From records to pages: pages, charts and the renderer that both use."""
