# The image of HiveGo: a server or an executor, as a user without rights, on a read-only root.
#
#   docker build --build-arg VERSION=v1.2.3 --tag hivego:v1.2.3 .
#
# compose.yaml and docs/install.md use it. Tasks run in it too, so it has a shell and Debian's basic commands. Derive an
# image from it that has the programs of your tasks.

FROM --platform=$BUILDPLATFORM node:22.20.0-bookworm-slim AS web
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
RUN npm ci --silent
COPY frontend frontend
COPY server/document/schema.json server/document/schema.json
RUN npm run --silent build

FROM --platform=$BUILDPLATFORM golang:1.26.8-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
COPY --from=web /src/assets/dist assets/dist
ARG VERSION=dev
ARG COMMIT=
ARG TARGETARCH
RUN CGO_ENABLED=0 GOARCH=$TARGETARCH go build -trimpath -buildvcs=false \
      -ldflags "-s -w -X main.version=$VERSION -X main.commit=$COMMIT" -o /out/hivego .

FROM debian:12.12-slim
# The version of the base decides the version of the package.
# hadolint ignore=DL3008
RUN apt-get update \
 && apt-get install --yes --no-install-recommends ca-certificates \
 && rm -rf /var/lib/apt/lists/* \
 && groupadd --gid 10001 hivego \
 && useradd --uid 10001 --gid 10001 --home-dir /var/lib/hivego --no-create-home --shell /usr/sbin/nologin hivego \
    # New volumes get the owner and the mode of these folders.
 && install --directory --mode 700 --owner 10001 --group 10001 \
      /var/lib/hivego /etc/hivego /setup /setup/authority /setup/server /setup/executor \
 && install --directory --mode 755 --owner 10001 --group 10001 /setup/database
COPY --from=build /out/hivego /usr/local/bin/hivego
COPY LICENSE /usr/share/doc/hivego/LICENSE

# A number, so that Kubernetes can check that it is not root.
USER 10001:10001
WORKDIR /var/lib/hivego
ENV HIVEGO_DATA=/var/lib/hivego
EXPOSE 3000
# It asks the server at HIVEGO_SERVER, by default http://127.0.0.1:3000.
HEALTHCHECK --interval=10s --timeout=6s --start-period=2m --retries=3 CMD ["hivego", "health"]
ENTRYPOINT ["hivego"]
CMD ["serve"]
