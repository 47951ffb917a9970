"""What every HTTP server of Medground shares: own host names, bodies, deadlines of a connection, the end in time.

It needs uvicorn and Starlette, not FastAPI. What a refusal looks like is up to the server.
"""
