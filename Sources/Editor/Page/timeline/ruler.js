/** Draws the ruler: times, the rendered ranges, the range to play. */

/** The seconds between two labels; the first value with enough space is used. Below a second,
 * frames are labelled. */
const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600];
const room = 76;

/** @param what the canvas and the values to show: `ready`, `failed` and `buffered` are ranges of
 * frames */
export function paintRuler({ context, width, height, viewport, clock, theme, ready, failed, buffered, marks, frames }) {
    context.fillStyle = theme.ruler;
    context.fillRect(0, 0, width, height);
    paintMarks(context, viewport, marks, frames, height, theme);
    paintTimes(context, viewport, clock, width, height, theme);
    const bar = (ranges, color, y, thickness) => {
        context.fillStyle = color;
        for (const [from, to] of ranges) {
            const [left, right] = [Math.max(0, viewport.x(from)), Math.min(width, viewport.x(to))];
            if (right > left) context.fillRect(left, y, Math.max(1, right - left), thickness);
        }
    };
    bar([[0, frames]], theme.unrendered, height - 4, 4);
    bar(ready, theme.rendered, height - 4, 4);
    bar(failed, theme.failed, height - 4, 4);
    bar(buffered, theme.buffered, height - 4, 2);
}

function paintMarks(context, viewport, marks, frames, height, theme) {
    if (!marks.areSet) return;
    const [left, right] = [viewport.x(marks.start), viewport.x(marks.end)];
    context.fillStyle = theme.loop;
    context.fillRect(left, 0, right - left, height - 4);
    context.fillStyle = theme.accent;
    context.fillRect(left, 0, 2, height - 4);
    context.fillRect(right - 2, 0, 2, height - 4);
    context.fillRect(left, 0, 7, 3);
    context.fillRect(right - 7, 0, 7, 3);
}

function paintTimes(context, viewport, clock, width, height, theme) {
    const perSecond = viewport.scale * clock.rate;
    const isFine = perSecond > room * 2;
    // Divisors of the frame rate, so that labels also fall on full seconds.
    const fine = [1, 2, 5, 10, 15].filter((count) => count < clock.nominal && count * viewport.scale >= room)[0] ?? clock.nominal;
    const coarse = steps.find((seconds) => seconds * perSecond >= room) ?? 7200;
    const step = isFine ? fine : coarse * clock.nominal;
    const ticks = [10, 5, 4, 2, 1].find((count) => step % count === 0 && (step / count) * viewport.scale >= 8) ?? 1;
    const tick = step / ticks;
    context.font = theme.rulerFont;
    context.textBaseline = "top";
    for (let frame = Math.floor(viewport.frame(0) / step) * step; viewport.x(frame) < width; frame += tick) {
        if (frame < 0) continue;
        const x = Math.round(viewport.x(frame));
        const isNumbered = frame % step === 0;
        context.fillStyle = isNumbered ? theme.tick : theme.faintTick;
        context.fillRect(x, isNumbered ? 4 : height - 11, 1, isNumbered ? height - 8 : 7);
        if (!isNumbered) continue;
        context.fillStyle = theme.rulerText;
        const text = clock.timecode(frame);
        context.fillText(isFine ? text : text.slice(0, 8), x + 4, 4);
    }
}
