# One image for every process of Laguna; the command says which one it is.

FROM python:3.11.14-slim-bookworm AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
WORKDIR /app
RUN python -m venv --without-pip /opt/laguna
# What we build on comes first: it changes less often than what we write.
COPY constraints.txt ./
RUN pip --python /opt/laguna/bin/python install --require-hashes --requirement constraints.txt
COPY pyproject.toml README.md LICENSE ./
COPY engine engine
COPY service service
COPY worker worker
# Editable: the programs stay in /app, beside the migrations they look for there.
RUN pip --python /opt/laguna/bin/python install --no-deps --no-build-isolation --editable .

FROM python:3.11.14-slim-bookworm
RUN groupadd --gid 10001 laguna \
    && useradd --uid 10001 --gid laguna --home-dir /var/lib/laguna --shell /usr/sbin/nologin laguna \
    && install --directory --owner laguna --group laguna --mode 0700 /var/lib/laguna
WORKDIR /app
COPY --from=build /opt/laguna /opt/laguna
COPY LICENSE ./
COPY migrations migrations
COPY engine engine
COPY service service
COPY worker worker
ENV PATH=/opt/laguna/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    LAGUNA_DATA=/var/lib/laguna \
    LAGUNA_HOST=0.0.0.0 \
    LAGUNA_PORT=8000
RUN python -m compileall -q engine service worker migrations
USER 10001:10001
EXPOSE 8000
STOPSIGNAL SIGTERM
# Of the web half, which is what runs if nothing else is said. The name must be one that
# LAGUNA_TRUSTED_HOSTS allows.
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s --retries=3 \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://localhost:8000/healthz', timeout=4)"]
CMD ["laguna", "serve"]
