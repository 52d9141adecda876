# make builds @STEM@.so; make check tests it.
SWIFTC ?= swiftc
SWIFTFLAGS ?= -O

@STEM@.so: @MODULE@.swift Descriptor.swift entry.c exports.map
	$(CC) -std=c11 -Wall -Wextra -O2 -fPIC -fvisibility=hidden -Iinclude -c entry.c -o entry.o
	$(SWIFTC) $(SWIFTFLAGS) -swift-version 6 -parse-as-library -module-name @MODULE@ -I include -emit-library -o $@ \
	  @MODULE@.swift Descriptor.swift entry.o -Xlinker --version-script=exports.map

check: @STEM@.so
	cutroom plugin check $(CURDIR)/$<

clean:
	rm -f @STEM@.so entry.o

.PHONY: check clean
