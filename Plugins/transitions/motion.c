#include "transitions.h"

double motion_shutter(const kit_job *job, double frames) {
    const cutroom_rational length = job->call->output->duration, whole = job->call->duration;
    double step = 1.0 / 30;
    if (length.num > 0 && whole.num > 0)
        step = ((double)length.num / (double)length.den) / ((double)whole.num / (double)whole.den);
    const double half = kit_bound(frames * step / 2, 0, 0.5);
    return motion(job->progress + half) - motion(job->progress - half);
}
