/* FFmpeg 5.1's devices, as far as the recorder uses them. The declaration is libavdevice's own; its
 * header would bring types that CFFmpeg has. */
#ifndef CUTROOM_CAVDEVICE_SHIM_H
#define CUTROOM_CAVDEVICE_SHIM_H

/* Makes libavformat know the devices. */
void avdevice_register_all(void);

#endif
