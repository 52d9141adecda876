# make builds @STEM@.so; make check tests it.
CFLAGS ?= -O2

@STEM@.so: @STEM@.c exports.map
	$(CC) -std=c11 -Wall -Wextra $(CFLAGS) -shared -fPIC -fvisibility=hidden -Iinclude -Wl,--version-script=exports.map \
	  -o $@ @STEM@.c -lm

check: @STEM@.so
	cutroom plugin check $(CURDIR)/$<

clean:
	rm -f @STEM@.so

.PHONY: check clean
