"""Networks as ONNX graphs, written from their weights alone: no torch, no exporter."""
