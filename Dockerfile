# A server in a container. docs/host.md says how it is run; deploy/compose.yaml adds PostgreSQL and https.
FROM python:3.13-slim-trixie AS build
WORKDIR /source
RUN python -m venv /comptoir
# First what rarely changes. Every file is known by its hash, and nothing is built but Comptoir itself.
COPY requirements requirements
RUN /comptoir/bin/pip install --no-cache-dir --require-hashes --only-binary :all: -r requirements/app.txt
RUN pip install --no-cache-dir --require-hashes --only-binary :all: -r requirements/build.txt
COPY pyproject.toml README.md LICENSE ./
COPY src src
RUN pip wheel --no-cache-dir --no-deps --no-build-isolation --wheel-dir /wheels . \
    && /comptoir/bin/pip install --no-cache-dir --no-deps --no-index /wheels/*.whl

FROM python:3.13-slim-trixie
# For backups of PostgreSQL: pg_dump must not be older than the server in deploy/compose.yaml.
RUN apt-get update && apt-get install -y --no-install-recommends postgresql-client-17 && rm -rf /var/lib/apt/lists/*
RUN useradd --system --uid 10001 --home-dir /data --shell /usr/sbin/nologin comptoir \
    && install -d -o comptoir -g comptoir -m 700 /data /backups
COPY --from=build /comptoir /comptoir
# The database, unless it is PostgreSQL, and what is compiled for the bots: a minute for each game, once.
ENV PATH=/comptoir/bin:$PATH XDG_DATA_HOME=/data COMPTOIR_CACHE=/data/cache
USER comptoir
VOLUME /data
EXPOSE 8420
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8420/health', timeout=4)"]
ENTRYPOINT ["comptoir"]
CMD ["serve", "--host", "0.0.0.0", "--port", "8420", "--no-browser"]
