"""Medground for agents, by the Model Context Protocol: parse, call the service, render. No logic of answering."""
