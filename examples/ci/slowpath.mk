# SPDX-License-Identifier: Apache-2.0
# For a Makefile: include ci/slowpath.mk, then 'make gate' and, after a look, 'make accept'.
SLOWPATH ?= slowpath
SLOWPATH_SUITES ?= $(patsubst %/suite.json,%,$(wildcard slowpath/*/suite.json))
.PHONY: gate accept
gate:
	@SLOWPATH='$(SLOWPATH)' sh ci/slowpath-gate.sh slowpath
accept:
	@for suite in $(SLOWPATH_SUITES); do '$(SLOWPATH)' accept "$$suite" || exit; done
