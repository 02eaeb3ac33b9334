# The command `steno` as an image: by default the proxy, with its store in /data.
#
#     docker build -t steno .
#     docker run --read-only -v steno:/data -p 127.0.0.1:8787:8787 -e STENO_PROXY_TOKEN=… steno
#     docker run --read-only -v steno:/data --network host steno inspect /data/agent.db
#
# The inspector answers its own machine only, so it needs the host's network.
# It runs as a user without rights and writes to /data alone. deploy/compose.yaml adds PostgreSQL.

FROM python:3.13-slim AS build
WORKDIR /src
COPY pyproject.toml README.md LICENSE constraints.txt ./
COPY src ./src
COPY plugins ./plugins
RUN pip wheel --no-cache-dir --wheel-dir /wheels -c constraints.txt '.[proxy,postgres,mcp,redact,otel]'

FROM python:3.13-slim
# Versions are those of the wheels, by constraints.txt.
# hadolint ignore=DL3013
RUN --mount=type=bind,from=build,source=/wheels,target=/wheels \
    pip install --no-cache-dir --no-index --find-links /wheels 'stenolog[proxy,postgres,mcp,redact,otel]' \
    && useradd --uid 10001 --home-dir /data --no-create-home steno \
    && install -d -o steno -g steno -m 700 /data
USER 10001
WORKDIR /data
VOLUME /data
EXPOSE 8787
ENV HOME=/data PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1
HEALTHCHECK --interval=30s --timeout=3s --start-period=10s \
    CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8787/health', timeout=2)"]
ENTRYPOINT ["steno"]
CMD ["proxy", "/data/agent.db", "--host", "0.0.0.0"]
