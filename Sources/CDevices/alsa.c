#include "CDevices.h"

#include <alsa/asoundlib.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Whether a device is more than a way to another one. A card has many names; its `hw` alone says
 * what the hardware can do. */
static bool is_device(const char *name)
{
    static const char *const converters[] = {
        "null", "lavrate", "samplerate", "speexrate", "jack", "oss", "pulse", "speex", "upmix", "vdownmix",
    };
    if (strchr(name, ':'))
        return strncmp(name, "hw:", 3) == 0;
    for (size_t index = 0; index < sizeof converters / sizeof *converters; index++)
        if (strcmp(name, converters[index]) == 0)
            return false;
    return true;
}

int32_t cdevices_alsa(cdevices_name_visitor visit, void *context)
{
    void **hints = NULL;
    int result = snd_device_name_hint(-1, "pcm", &hints);
    if (result < 0)
        return result;
    for (void **hint = hints; *hint; hint++) {
        char *name = snd_device_name_get_hint(*hint, "NAME");
        char *description = snd_device_name_get_hint(*hint, "DESC");
        char *direction = snd_device_name_get_hint(*hint, "IOID");
        if (name && is_device(name) && (!direction || strcmp(direction, "Input") == 0))
            visit(context, name, description ? description : "");
        free(name);
        free(description);
        free(direction);
    }
    snd_device_name_free_hint(hints);
    return 0;
}

int32_t cdevices_alsa_device(
    const char *name, const uint32_t *rates, uint32_t count, bool *has_rate, uint32_t *channels)
{
    snd_pcm_t *device = NULL;
    int result = snd_pcm_open(&device, name, SND_PCM_STREAM_CAPTURE, SND_PCM_NONBLOCK);
    if (result < 0)
        return result;
    snd_pcm_hw_params_t *form = NULL;
    result = snd_pcm_hw_params_malloc(&form);
    if (result >= 0) {
        result = snd_pcm_hw_params_any(device, form);
        if (result >= 0) {
            for (uint32_t index = 0; index < count; index++)
                has_rate[index] = snd_pcm_hw_params_test_rate(device, form, rates[index], 0) == 0;
            *channels = 0;
            for (uint32_t number = 1; number <= 32; number++)
                if (snd_pcm_hw_params_test_channels(device, form, number) == 0)
                    *channels |= 1u << (number - 1);
        }
        snd_pcm_hw_params_free(form);
    }
    snd_pcm_close(device);
    return result < 0 ? result : 0;
}
