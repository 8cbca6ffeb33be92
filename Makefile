# SPDX-License-Identifier: Apache-2.0
# The commands a newcomer needs. Everything else is CMake (see CMakePresets.json).
.PHONY: all deps demo check lint format install deb clean

all: build/build.ninja
	@ninja -C build

build/build.ninja:
	@cmake --preset default >/dev/null || { rm -rf build/CMakeCache.txt build/CMakeFiles; exit 1; }

deps:
	@tools/install-deps

demo: deps
	@$(MAKE) --no-print-directory all
	@examples/demo.sh build/bin

check:
	@tools/install-deps mpi
	@$(MAKE) --no-print-directory all
	@tools/check

lint: all
	@ctest --test-dir build -R '^lint/' -j $$(nproc) --output-on-failure

format:
	@clang-format-19 -i $$(git ls-files '*.c' '*.h')

install: all
	@cmake --install build

# A Debian package in build/deb; needs debhelper.
deb: deps
	@tools/make-deb build/deb

clean:
	@rm -rf build
