/* FFmpeg 5.1's filters, for the plugin that runs them as effects. */
#include <libavfilter/avfilter.h>
