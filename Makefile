# Everything a developer does here. `make help` lists it. Needed: git, make, Go, and Node with npm; for `make check` a C
# compiler too (the race detector's). All else is installed into the working tree, pinned, the first time it is needed.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
# Two cores are enough for one of these at a time, and their output stays readable.
.NOTPARALLEL:
.DELETE_ON_ERROR:

BIN := .local/bin
PYTHON := infra/tools/.venv/bin/python
LINTER := $(BIN)/golangci-lint
# Not in infra/tools/go.mod: it can't be built with the YAML library that golangci-lint asks for.
ACTIONLINT_VERSION := v1.7.12
ACTIONLINT := $(BIN)/actionlint-$(ACTIONLINT_VERSION)
# Run as it is, because what it needs itself is much and is of no other use.
CYCLONEDX_VERSION := v1.10.0
ENGINE := infra/local/node_modules/.installed
VENV := infra/tools/.venv/.installed
PDFCHECK := .local/pdfcheck/.installed
BROWSERCHECK := infra/browsercheck/node_modules/.installed
WEBHOOKCHECK := infra/webhookcheck/node_modules/.installed
OPENAPICHECK := infra/openapicheck/node_modules/.installed
TYPESCRIPT := clients/typescript/node_modules/.installed

# How a function is compiled for Lambda; `sam build` takes it from the environment. infra/local/lambdaruntime says what the tags are for.
FUNCTION_ENV := CGO_ENABLED=0 GOFLAGS="-buildvcs=false -trimpath -tags=lambda.norpc,nethttpomithttp2 '-ldflags=-s -w'"

# Runs a proof that takes minutes, unless none of its inputs has changed since it passed here; FULL=1 runs it in any case.
PROVEN := go run ./infra/proven

# $(call need,program,what to do)
need = command -v $(1) >/dev/null || { echo "$(1) is missing: $(2)" >&2; exit 1; }

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# ---------------------------------------------------------------------------------------------------------------- run

# As infra/local/program has it: a compiler collects its garbage only where it needs more memory than this, so it takes a fifth less of the
# processor. What is compiled stays the same.
LEAN := GOGC=off GOMEMLIMIT=768MiB

.PHONY: run
run: $(ENGINE) ## the whole platform on this machine; flags by RUN='-addr 127.0.0.1:8000 -data DIR -memory …'
	@mkdir -p $(BIN)
	@if [ ! -x $(BIN)/tenantry ]; then \
		begun=$$SECONDS; echo "Downloading what it is compiled of …"; \
		go list -deps ./infra/local >/dev/null; go list -C infra/local/bucket/server -deps . >/dev/null; \
		echo "Downloading what it is compiled of: $$((SECONDS - begun)) s"; echo "Compiling the platform; the first time takes a minute or two …"; \
	fi
	@begun=$$SECONDS; $(LEAN) go build -buildvcs=false -o $(BIN)/tenantry ./infra/local && \
		echo "Compiling the platform: $$((SECONDS - begun)) s" && exec $(BIN)/tenantry $(RUN)

.PHONY: engine
engine: $(ENGINE) ## install the local DynamoDB engine

$(ENGINE): infra/local/package.json
	@$(call need,npm,install Node.js; npm brings the local DynamoDB engine)
	@begun=$$SECONDS; echo "Installing the local DynamoDB engine, the reference and the console …"; \
		npm install --prefix infra/local --no-package-lock --no-audit --no-fund --loglevel=error --no-progress >/dev/null; \
		cd infra/local/node_modules; \
		take() { \
			rm -rf "$$2"; mkdir -p "$$2"; archive=$$(npm pack "$$(node -p "require('../package.json').config.$$1")" --silent); \
			tar xzf "$$archive" -C "$$2" --strip-components=1 package/package.json "package/$$3"; rm "$$archive"; \
		}; \
		take reference @scalar/api-reference dist/browser/standalone.js; \
		take console htm preact/standalone.module.js; \
		echo "Installing the local DynamoDB engine, the reference and the console: $$((SECONDS - begun)) s"
	@touch $@

.PHONY: replay
replay: $(ENGINE) ## one request of events/ through the real bootstrap; EVENT=documents/list; WRITE=event.json writes its event instead
	@test -n "$(EVENT)" || { echo "say which: make replay EVENT=documents/list" >&2; exit 1; }
	@echo "Compiling …" >&2
	@go run ./infra/replay $(if $(WRITE),-write $(WRITE)) $(EVENT)

.PHONY: smoke
smoke: ## walk a stage that is up; URL=https://…
	@test -n "$(URL)" || { echo "say where: make smoke URL=https://…" >&2; exit 1; }
	@go run ./infra/smoke -url $(URL)

.PHONY: operator
operator: ## the operator's program; ARGS='-local companies', without ARGS it lists its commands
	@go run ./infra/operator $(if $(ARGS),$(ARGS),-h)

.PHONY: operator-zip
operator-zip: $(VENV) ## the operator's program as its schedule runs it, .local/operator.zip
	@mkdir -p .local/operator
	@CGO_ENABLED=0 GOOS=linux GOARCH=arm64 go build -trimpath -o .local/operator/operator ./infra/operator
	@$(PYTHON) -m zipfile -c .local/operator.zip .local/operator/operator

.PHONY: sam-env
sam-env: $(ENGINE) ## what functions need under sam local, and env.json; flags by SAM_ENV='-listen 172.17.0.1 -world …'
	@mkdir -p $(BIN)
	@go build -o $(BIN)/sam-env ./infra/samenv && exec $(BIN)/sam-env $(SAM_ENV)

.PHONY: races
races: $(ENGINE) ## let 16 clerks race for 5 items, and check that none was booked twice and that all money adds up; flags by RACES='-n 10000 -kill 20 …'
	@go run ./infra/races $(RACES)

.PHONY: bench
bench: $(ENGINE) ## run the benchmarks and write docs/performance.md
	@go run ./infra/bench

.PHONY: bench-search
bench-search: $(ENGINE) ## time searches, as a company grows; flags by BENCH='-documents 100000'
	@go run ./infra/bench -only client-search,search,grown,prices $(BENCH)

# --------------------------------------------------------------------------------------------------------------- make

.PHONY: build
build: $(VENV) compile ## build the functions as AWS gets them, into .aws-sam/
	@SAM_CLI_TELEMETRY=0 $(FUNCTION_ENV) infra/tools/.venv/bin/sam build --parallel
	@command -v sam >/dev/null || echo "sam itself is found after: export PATH=\"$(CURDIR)/infra/tools/.venv/bin:\$$PATH\""

.PHONY: deploy
deploy: ## build, and deploy to a stage of samconfig.toml; STAGE=staging, flags of sam deploy by DEPLOY='--parameter-overrides …'
	@test -n "$(STAGE)" || { echo "say where: make deploy STAGE=staging" >&2; exit 1; }
	@go run ./infra/deploy -stage $(STAGE) -release "$(RELEASE)" -check -- $(DEPLOY)
	@$(MAKE) --no-print-directory build
	@SAM_CLI_TELEMETRY=0 go run ./infra/deploy -stage $(STAGE) -release "$(RELEASE)" -- $(DEPLOY)

# What is deployed now: the minute in UTC, by which SAM tells versions of functions apart, and the commit.
RELEASE = $$(date -u +%y%m%d%H%M)-$$(git describe --always --dirty --abbrev=12 --exclude='*')

.PHONY: back
back: ## take a release back, within seconds; STAGE=staging, RELEASE=… for another than the one before, flags by BACK='-tell'
	@test -n "$(STAGE)" || { echo "say where: make back STAGE=staging" >&2; exit 1; }
	@go run ./infra/back -stage $(STAGE) $(if $(filter command,$(origin RELEASE)),-release $(RELEASE)) $(BACK)

.PHONY: destroy
destroy: ## take a stage down; STAGE=staging; says what stays, and asks for the stack's name
	@test -n "$(STAGE)" || { echo "say which: make destroy STAGE=staging" >&2; exit 1; }
	@go run ./infra/destroy -stage $(STAGE)

# Before SAM, because SAM hides what doesn't compile; and what the functions share is compiled once instead of six times.
.PHONY: compile
compile:
	@go run ./infra/compile

.PHONY: sbom
sbom: ## list what the functions are made of, as CycloneDX, in .local/sbom/
	@mkdir -p .local/sbom
	@go run github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@$(CYCLONEDX_VERSION) mod -json -licenses -output .local/sbom/tenantry.cdx.json .
	@echo "Components are listed in .local/sbom/tenantry.cdx.json"

.PHONY: release
release: ## make a release of main: date and version are written, committed and tagged, and you push it; VERSION=1.2.0
	@test -n "$(VERSION)" || { echo "say which: make release VERSION=1.2.0" >&2; exit 1; }
	@go run ./infra/templatediff
	@go run ./infra/release -version $(VERSION)

.PHONY: clients
clients: $(TYPESCRIPT) $(VENV) ## the clients as their users install them: clients/typescript/*.tgz and clients/python/dist/*.whl
	@clients/typescript/tarball
	@clients/python/wheel

.PHONY: openapi
openapi: ## write the API description from the code
	@go generate ./infra/openapi/...

.PHONY: unreviewed
unreviewed: ## list the Kazakh texts that no speaker has signed off; docs/terms.md says how one does
	@cd shared/say && go run ../../infra/phrases -unreviewed

.PHONY: events
events: $(ENGINE) ## record the answers in events/ anew, or of GROUP=documents; read the difference before you keep it
	@go run ./infra/replay -record $(GROUP)

.PHONY: fonts
fonts: $(VENV) ## cut the fonts of documents anew, from pinned packages
	@$(call need,npm,install Node.js; the fonts are a package)
	@infra/fonts/cut

.PHONY: passwords
passwords: $(VENV) ## make the filter of common passwords anew, from a pinned package
	@PYTHON=$(PYTHON) infra/passwords/filter

.PHONY: fmt
fmt: $(LINTER) ## format the Go code
	@$(LINTER) fmt

# --------------------------------------------------------------------------------------------------------------- test

# Heaps of tests are small and their garbage is not: collected less often, they take a quarter less of the processor.
test quick race: export GOGC ?= 400

.PHONY: test
test: $(ENGINE) ## every test
	@go test ./...

.PHONY: quick
quick: $(LINTER) $(ENGINE) ## format, lint and tests of what changed since main, and of what imports it; a minute for one group
	@go run ./infra/quick -linter $(LINTER)

# CI sets it, and everything is run, whatever has been proven before.
export FULL

.PHONY: check
check: format lint generated template openapi-check sam-check pdf-check webhook-check browser-check client-check race ## all that CI does: format, lint, generated files, template, API description, sam local, PDFs, webhooks, pages, clients, tests with -race; FULL=1 as CI does it

.PHONY: format
format: $(LINTER)
	@echo "== $$(date +%T) format"
	@$(LINTER) fmt --diff || { echo "make fmt mends it" >&2; exit 1; }

.PHONY: lint
lint: $(LINTER) $(ACTIONLINT) $(VENV) ## golangci-lint, and that its rules still bite
	@echo "== $$(date +%T) lint"
	@$(LINTER) run ./...
	@for module in infra/tools infra/local/bucket/server; do \
		(cd $$module && $(CURDIR)/$(LINTER) run --config $(CURDIR)/.golangci.yml ./...) || exit 1; done
	@$(PROVEN) -name lint-faults -files .golangci.yml,infra/tools,infra/templatecheck,go.mod,go.sum -- $(PYTHON) infra/templatecheck/lintfaults.py $(LINTER)
	@$(ACTIONLINT) -shellcheck= -pyflakes=

.PHONY: generated
generated:
	@echo "== $$(date +%T) generated files"
	@.ci/generated

# What decides whether the planted faults of the template are found, besides the programs of infra/tools.
FAULT_INPUTS := template.yaml,samconfig.toml,Makefile,README.md,docs,.github,.ci,.golangci.yml,infra,shared/table,shared/web,shared/record/search,shared/outbox,functions/dispatch

.PHONY: template
template: $(VENV) compile ## check template.yaml, and that every check still bites
	@echo "== $$(date +%T) template"
	@go test ./infra/groups/...
	@go run ./infra/templatediff
	@$(FUNCTION_ENV) $(PYTHON) infra/templatecheck
	@$(PROVEN) -name template-faults -files $(FAULT_INPUTS) -- env $(FUNCTION_ENV) $(PYTHON) infra/templatecheck --faults $(FAULT_INPUTS)

.PHONY: openapi-check
openapi-check: $(OPENAPICHECK) $(VENV) $(ENGINE) ## let Spectral and Redocly judge the API description, and Schemathesis call a platform by it
	@echo "== $$(date +%T) API description, judged by other programs"
	@$(PROVEN) -name openapi-lint -files infra/openapicheck,docs/openapi.json -versions 'node --version' -- infra/openapicheck/lint
	@$(PROVEN) -name openapi-calls -packages ./infra/openapicheck -files infra/openapicheck,infra/tools,infra/local/package.json,docs/openapi.json -- \
		env OPENAPICHECK=$(CURDIR)/$(PYTHON) go test -count=1 -timeout 20m ./infra/openapicheck

.PHONY: sam-check
sam-check: $(VENV) $(ENGINE) ## let SAM's own code find and call the functions, as sam local does
	@echo "== $$(date +%T) sam local"
	@$(PROVEN) -name sam-local -packages ./infra/replay,./functions/... \
		-files template.yaml,events,infra/replay,infra/tools,infra/local/bucket/server,infra/local/package.json -- \
		env SAMLOCAL=$(CURDIR)/$(PYTHON) go test -count=1 -run SAMLocal ./infra/replay

.PHONY: pdf-check
pdf-check: $(PDFCHECK) $(VENV) ## let pdfsig, pyHanko, OpenSSL, qpdf and veraPDF read the PDFs that we make
	@echo "== $$(date +%T) PDFs, read by other programs"
	@$(PROVEN) -name pdf -packages ./infra/pdfcheck -files infra/pdfcheck,infra/tools,functions/render,functions/seal \
		-versions 'pdfsig -v,qpdf --version,openssl version,java -version' -- \
		env PDFCHECK=$(CURDIR)/$(dir $(PDFCHECK)) go test -count=1 ./infra/pdfcheck

.PHONY: webhook-check
webhook-check: $(WEBHOOKCHECK) $(VENV) ## let the public verifiers judge the signatures of webhooks, and run the receivers of docs/webhooks.md
	@echo "== $$(date +%T) webhooks, verified by other programs"
	@$(PROVEN) -name webhooks -packages ./infra/webhookcheck -files infra/webhookcheck,infra/tools,docs/webhooks.md -versions 'node --version' -- \
		env WEBHOOKCHECK=1 go test -count=1 ./infra/webhookcheck

.PHONY: browser-check
browser-check: $(BROWSERCHECK) $(ENGINE) ## let Chromium sign documents and walk through the console in each language, and axe judge the pages
	@echo "== $$(date +%T) pages, in a browser"
	@BROWSERCHECK=1 go test -count=1 -timeout 30m ./infra/browsercheck

.PHONY: client-check
client-check: $(TYPESCRIPT) $(BROWSERCHECK) $(VENV) $(ENGINE) ## build the clients of clients/, and let them call a platform, in Node.js, in Chromium and in Python
	@echo "== $$(date +%T) clients"
	@$(PROVEN) -name clients -packages ./infra/clientcheck -files clients,docs/openapi.json,LICENSE,infra/browsercheck,infra/tools -versions 'node --version' -- \
		env CLIENTCHECK=1 go test -count=1 -timeout 20m ./infra/clientcheck

# The tours are walked in zsh too, where there is one; it is no package of the working tree.
.PHONY: zsh
zsh:
	@if ! command -v zsh >/dev/null && [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		echo "Installing zsh …"; \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends zsh >/dev/null || true; \
	fi
	@command -v zsh >/dev/null || echo "zsh is missing: the tours are walked in bash alone. On Debian: sudo apt-get install zsh" >&2

# Lint has vetted, and checks of pointers are for code that does without Go's types. By -trimpath a clone in another folder takes what was
# compiled here.
.PHONY: race
race: PACKAGES ?= ./...
race: $(ENGINE) zsh
	@echo "== $$(date +%T) tests, with the race detector"
	@$(call need,$$(go env CC | cut -d' ' -f1),install a C compiler; the race detector needs one)
	@$(if $(findstring infra,$(PACKAGES))$(filter ./...,$(PACKAGES)),echo "Every operation of the API and every event without it:" && \
		go test -trimpath -vet=off ./infra/conformance ./infra/replay)
	@CGO_ENABLED=1 go test -race -trimpath -vet=off -gcflags=all=-d=checkptr=0 -timeout 40m $(PACKAGES)

# -------------------------------------------------------------------------------------------------------------- tools

$(LINTER): infra/tools/go.mod infra/tools/go.sum
	@mkdir -p $(BIN)
	@echo "Building golangci-lint, once; that takes a minute or two …"
	@go build -C infra/tools -o $(CURDIR)/$@ github.com/golangci/golangci-lint/v2/cmd/golangci-lint

$(ACTIONLINT):
	@mkdir -p $(BIN)
	@GOBIN=$(CURDIR)/$(BIN) go install github.com/rhysd/actionlint/cmd/actionlint@$(ACTIONLINT_VERSION)
	@mv $(BIN)/actionlint $@

$(PDFCHECK): infra/pdfcheck/install infra/pdfcheck/pom.xml infra/pdfcheck/PDFA.java
	@infra/pdfcheck/install $(CURDIR)/$(@D)
	@touch $@

$(BROWSERCHECK): infra/browsercheck/install infra/browsercheck/package.json
	@$(call need,npm,install Node.js; npm brings what drives the browser)
	@infra/browsercheck/install

$(WEBHOOKCHECK): infra/webhookcheck/install infra/webhookcheck/package.json
	@$(call need,npm,install Node.js; npm brings the verifier)
	@infra/webhookcheck/install

$(OPENAPICHECK): infra/openapicheck/install infra/openapicheck/package.json
	@$(call need,npm,install Node.js; npm brings the linters)
	@infra/openapicheck/install

$(TYPESCRIPT): clients/typescript/package.json
	@$(call need,npm,install Node.js; npm brings what makes the types of the client)
	@echo "Installing what the TypeScript client is made with …"
	@npm install --prefix clients/typescript --no-package-lock --no-audit --no-fund --loglevel=error --no-progress >/dev/null
	@touch $@

$(VENV): infra/tools/requirements.txt infra/tools/venv/main.go infra/tools/go.mod
	@echo "Installing Python and the template's tools …"
	@go run -C infra/tools ./venv
	@touch $@
