/* A library, but no plugin. */
int an_ordinary_function(void);
int an_ordinary_function(void) { return 42; }
