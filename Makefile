# HiveGo. `make` without a target lists the targets.

SHELL         := bash
.SHELLFLAGS   := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS     += --no-print-directory
.DELETE_ON_ERROR:
.NOTPARALLEL:

GOLANGCI_VERSION := 2.15.0
OAPI_VERSION     := 2.8.0
DEADCODE_VERSION := 0.40.0
HELM_VERSION     := 3.22.0
VGW_VERSION      := 1.8.0
THRIFT_VERSION   := 0.17.0

VERSION  ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
COMMIT   ?= $(shell git rev-parse HEAD 2>/dev/null)
DATA     ?= data
ARGS     ?=
PACKAGES ?= ./...
SOAK     ?= 1h
FUZZ     ?= 5s

LDFLAGS  := -s -w -X main.version=$(VERSION) -X main.commit=$(COMMIT)

TOOLS    := $(CURDIR)/bin/tools
TIMES    := bin/times
GOLANGCI := $(TOOLS)/golangci-lint-$(GOLANGCI_VERSION)/golangci-lint
OAPI     := $(TOOLS)/oapi-codegen-$(OAPI_VERSION)/oapi-codegen
DEADCODE := $(TOOLS)/deadcode-$(DEADCODE_VERSION)/deadcode
HELM     := $(or $(HIVEGO_TEST_HELM),$(TOOLS)/helm-$(HELM_VERSION)/helm)
VGW      := $(or $(HIVEGO_TEST_VERSITYGW),$(TOOLS)/versitygw-$(VGW_VERSION)/versitygw)

# Go must not stamp the version itself: a copy without .git has to build, too.
export GOFLAGS        := -mod=readonly -buildvcs=false
export THRIFT_VERSION DEADCODE_VERSION

.PHONY: help run test build web web-test ui lint house gen gen-check vet arch race fuzz slowest sim bench soak dist fmt clean need-go need-node

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-11s %s\n", $$1, $$2}'

run: build ## build and start a server with an executor on ./data (DATA=…, ARGS="--listen …")
	@exec bin/hivego serve --data "$(DATA)" $(ARGS)

test: vet gen-check arch lint house web-test sim race fuzz ui slowest ## run every check: generated files, linters, all tests on both databases, front end, browser

build: need-go web ## build bin/hivego with the web interface in it
	CGO_ENABLED=0 go build -trimpath -ldflags "$(LDFLAGS)" -o bin/hivego .

web: assets/dist/index.html ## build the web interface into assets/dist

web-test: web ## check the front end: types, linters, dead code, unit tests, the size of the first load
	npm run --silent check

ui: build ## run the tests in a real browser, with servers on both databases; pictures go to bin/screens
	@scripts/need postgres
	@scripts/need chromium
	@scripts/need firefox
	npm run --silent ui

lint: need-go $(GOLANGCI) $(DEADCODE) ## run all Go linters and formatters, and find dead functions (PACKAGES=./server/state/...)
	$(GOLANGCI) run $(PACKAGES)
	@dead=$$(scripts/dead); [ -z "$$dead" ] || { printf 'dead code:\n%s\n' "$$dead" >&2; exit 1; }

house: need-go $(DEADCODE) node_modules/.installed ## print the measures of the code, and fail if one is over its floor (ARGS="-list go-lines")
	@go run ./e2e/arch/house $(ARGS)

fmt: need-go $(GOLANGCI) ## format all Go files
	$(GOLANGCI) fmt

gen: need-go $(OAPI) node_modules/.installed ## write all generated files again: Thrift, API stubs and types, reference pages
	@PATH="$(dir $(OAPI)):$$PATH" scripts/gen
	npm run --silent gen:api

gen-check: need-go $(OAPI) ## fail if a generated file differs from the output of `make gen`
	@PATH="$(dir $(OAPI)):$$PATH" scripts/gen-check

vet: need-go
	go vet ./...

arch: need-go
	go test -count 1 ./e2e/arch/...

race: need-go $(HELM) $(VGW)
	@scripts/need cc
	@scripts/need postgres
	@scripts/need sqlite
	@scripts/need systemd
	@scripts/plug
	@scripts/need mariadb
	@mkdir -p $(TIMES)
	HIVEGO_TEST_HELM="$(HELM)" HIVEGO_TEST_VERSITYGW="$(VGW)" go test -json -race -timeout 30m $$(go list ./... | grep -v /e2e/arch) | go run ./e2e/arch/slowest -go $(TIMES)/go.json

# Go 1.26 may report the end of the time as a failure, which has no failing input: https://go.dev/issue/75804
fuzz: need-go ## run each fuzz target for some seconds (FUZZ=5s)
	@grep -rhoE --include='*_test.go' --exclude-dir=node_modules -H '^func Fuzz[A-Za-z0-9]+' . | sort | while IFS=: read -r file target; do \
	  echo "fuzz $${target#func } in $$(dirname $$file), $(FUZZ)"; \
	  go test -run '^$$' -fuzz "^$${target#func }\$$" -fuzztime $(FUZZ) -fuzzminimizetime 1s "$$(dirname $$file)" >$(TIMES)/fuzz.log 2>&1 || \
	    { grep -q 'context deadline exceeded' $(TIMES)/fuzz.log && ! grep -q 'Failing input' $(TIMES)/fuzz.log; } || \
	    { cat $(TIMES)/fuzz.log; exit 1; }; \
	done

slowest: need-go
	@go run ./e2e/arch/slowest $(TIMES)/*.json

bench: build ## print the measures of docs/operations.md as ratios, with their settings
	@scripts/need postgres
	go run ./e2e/bench $(ARGS)
	@scripts/need chromium
	@npm run --silent bench:canvas
	@npm run --silent bench:screen
	@npm run --silent bench:batch

sim: need-go
	go test -count 1 -timeout 20m ./e2e/sim

soak: need-go ## run the fault simulator with new seeds for some time (SOAK=1h)
	HIVEGO_SIM_SOAK=$(SOAK) go test -count 1 -timeout 0 ./e2e/sim -run TestSoak -v $(ARGS)

dist: build ## build the release in dist/: archives for linux amd64 and arm64, SBOMs, chart, checksums (VERSION=v1.2.3)
	@VERSION="$(VERSION)" LDFLAGS="$(LDFLAGS)" scripts/dist

clean: ## remove all build output; the data folder stays
	rm -rf bin dist coverage.out node_modules assets/dist/*

need-go:
	@scripts/need go

need-node:
	@scripts/need node

node_modules/.installed: package.json package-lock.json | need-node
	npm ci --silent
	@touch $@

assets/dist/index.html: node_modules/.installed $(shell find frontend -type f)
	npm run --silent build
	@touch $@

$(GOLANGCI): | need-go
	@scripts/tool github.com/golangci/golangci-lint/v2/cmd/golangci-lint $(GOLANGCI_VERSION) $@

$(OAPI): | need-go
	@scripts/tool github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen $(OAPI_VERSION) $@

$(DEADCODE): | need-go
	@scripts/tool golang.org/x/tools/cmd/deadcode $(DEADCODE_VERSION) $@

$(TOOLS)/helm-$(HELM_VERSION)/helm: | need-go
	@scripts/tool helm.sh/helm/v3/cmd/helm $(HELM_VERSION) $@

$(TOOLS)/versitygw-$(VGW_VERSION)/versitygw: | need-go
	@scripts/tool github.com/versity/versitygw/cmd/versitygw $(VGW_VERSION) $@
