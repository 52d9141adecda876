# make builds @STEM@.so; make check tests it.
CXXFLAGS ?= -O2

@STEM@.so: @STEM@.cpp exports.map
	$(CXX) -std=c++17 -Wall -Wextra $(CXXFLAGS) -shared -fPIC -fvisibility=hidden -Iinclude -Wl,--version-script=exports.map \
	  -o $@ @STEM@.cpp

check: @STEM@.so
	cutroom plugin check $(CURDIR)/$<

clean:
	rm -f @STEM@.so

.PHONY: check clean
