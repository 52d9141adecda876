/*
 * The filters of libavfilter 8 that make each frame by itself. Each was found to do so by a test:
 * its frame alone is its frame after others. The list omits filters that keep frames or averages
 * (tmix, hqdn3d, deflicker), count frames (fade, zoompan), or use a random generator whose state
 * carries over from frame to frame (noise).
 */
#include "chain.h"
#include <stdlib.h>
#include <string.h>

/* Sorted. */
static const char *const names[] = {
    "avgblur", "bilateral", "boxblur", "cas", "chromahold", "chromakey", "chromanr", "chromashift", "colorbalance",
    "colorchannelmixer", "colorcontrast", "colorcorrect", "colorhold", "colorize", "colorkey", "colorlevels", "colormatrix",
    "colortemperature", "convolution", "copy", "crop", "curves", "dblur", "deband", "deflate", "delogo", "despill", "dilation",
    "drawbox", "drawgrid", "edgedetect", "eq", "erosion", "exposure", "fillborders", "format", "gblur", "geq", "gradfun", "grayworld",
    "hflip", "hsvhold", "hsvkey", "hue", "huesaturation", "inflate", "kirsch", "lenscorrection", "limiter", "lumakey", "lut",
    "lutrgb", "lutyuv", "median", "monochrome", "negate", "noformat", "null", "pad", "perspective", "pixelize", "prewitt",
    "pseudocolor", "rgbashift", "roberts", "rotate", "scale", "scharr", "selectivecolor", "shear", "shuffleplanes",
    "smartblur", "sobel", "swaprect", "swapuv", "transpose", "unsharp", "vflip", "vibrance", "vignette", "yaepblur",
};

static int compare(const void *key, const void *entry) { return strcmp(key, *(const char *const *)entry); }

int pure_is_listed(const char *filter) {
    return bsearch(filter, names, sizeof names / sizeof *names, sizeof *names, compare) != NULL;
}
