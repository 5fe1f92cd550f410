# Image of Landbridge, for `serve`, `api`, `worker` and every other command.
# Debian's own Python 3.11 in both stages, so that the environment can be copied.
ARG BASE=docker.io/library/debian:bookworm-slim

# The tag is in BASE.
# hadolint ignore=DL3006
FROM ${BASE} AS build
# The base sets the release of Debian, which gets security fixes only.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates python3 python3-venv \
    && rm -rf /var/lib/apt/lists/*
# Certificates of Debian, as those of a network with its own authority are mounted there.
ARG SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt
WORKDIR /build
COPY requirements.lock requirements-uv.lock ./
# Apache Arrow takes 165 MB for one format of downloads; `--build-arg LEFT_OUT=` keeps it.
ARG LEFT_OUT=pyarrow
RUN python3 -m venv /opt/installer \
    && /opt/installer/bin/pip install --no-cache-dir --require-hashes -r requirements-uv.lock \
    && python3 -m venv --without-pip /opt/landbridge \
    && /opt/installer/bin/uv pip install --no-cache --python /opt/landbridge/bin/python \
        --require-hashes -r requirements.lock \
    && for each in ${LEFT_OUT}; do \
        /opt/installer/bin/uv pip uninstall --python /opt/landbridge/bin/python "${each}"; done
COPY pyproject.toml README.md LICENSE ./
COPY src src
COPY deploy/slim-environment deploy/slim-environment
# Bytecode is compiled here, because the root of a container is read-only.
RUN /opt/installer/bin/uv pip install --no-cache --no-deps --python /opt/landbridge/bin/python . \
    && deploy/slim-environment /opt/landbridge \
    && /opt/landbridge/bin/python -m compileall -q -j 0 /opt/landbridge/lib

# hadolint ignore=DL3006
FROM ${BASE}
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates python3 \
    && rm -rf /var/lib/apt/lists/* \
    && groupadd --gid 10001 landbridge \
    && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /data landbridge \
    && install --directory --owner 10001 --group 10001 --mode 700 /data
COPY --from=build /opt/landbridge /opt/landbridge
ENV PATH=/opt/landbridge/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    LANDBRIDGE_DATA_DIR=/data \
    LANDBRIDGE_HOST=0.0.0.0
USER 10001:10001
WORKDIR /data
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
    CMD ["python3", "-c", "import urllib.request as r; r.build_opener(r.ProxyHandler({})).open('http://127.0.0.1:8080/readyz', timeout=4)"]
ENTRYPOINT ["landbridge"]
CMD ["serve"]
