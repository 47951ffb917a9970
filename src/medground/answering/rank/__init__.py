"""Fewer, better hits: fused by ranks, one of each text, reranked."""
