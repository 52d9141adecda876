/** Converts between frames, seconds and displayed times at the draft's rate. Frame n is shown
 * from n/rate to (n + 1)/rate. */
export class Clock {
    constructor([count, seconds] = [30, 1]) {
        this.rate = count / seconds;
        /** The frames in a second of timecode, a whole number. */
        this.nominal = Math.max(1, Math.round(this.rate));
    }

    seconds(frame) { return frame / this.rate; }

    /** Returns the middle of a frame: a seek position that rounding cannot move to a neighbour. */
    middle(frame) { return (frame + 0.5) / this.rate; }

    /** Returns the frame shown at a time; a frame's first instant belongs to it despite rounding.
     */
    frame(seconds) { return Math.floor(seconds * this.rate + 0.001); }

    /** `01:02:03:04`: hours, minutes, seconds, frames. */
    timecode(frame) {
        const whole = Math.max(0, Math.round(frame));
        const seconds = Math.floor(whole / this.nominal);
        const fields = [seconds / 3600, (seconds / 60) % 60, seconds % 60, whole % this.nominal];
        return fields.map((field) => String(Math.floor(field)).padStart(2, "0")).join(":");
    }

    /** Parses a frame: timecode by its last fields (`4:15` is four seconds and 15 frames), or
     * seconds (`4.5`, `4s`). Returns null for other texts. */
    parse(text) {
        const words = text.trim();
        if (/^\d+([.,]\d+)?s?$/.test(words)) return this.frame(Number(words.replace(",", ".").replace("s", "")));
        if (!/^\d+([:;]\d+){1,3}$/.test(words)) return null;
        const [frames, seconds, minutes = 0, hours = 0] = words.split(/[:;]/).map(Number).reverse();
        return ((hours * 60 + minutes) * 60 + seconds) * this.nominal + frames;
    }
}

/** Formats seconds as `1:02.5` or `0:04`, without trailing zeros. */
export function shortTime(seconds, decimals = 0) {
    const minutes = Math.floor(seconds / 60);
    const rest = (seconds - minutes * 60).toFixed(decimals).padStart(decimals ? 3 + decimals : 2, "0");
    return `${minutes}:${rest}`;
}
