/** The range to play, from an in point to an out point; by default the draft's `time_range`, else
 * everything. In frames; the out point is the first frame that is not played. */
export class Marks {
    #range = null;
    #frames = 0;
    in = null;
    out = null;
    /** Whether the range is played in a loop. */
    repeats = false;

    /** Takes over a new revision's length and range; the user's marks stay if possible. */
    load(draft) {
        const range = draft?.range ?? null;
        const isNew = JSON.stringify(range) !== JSON.stringify(this.#range);
        this.#frames = draft?.frames ?? 0;
        if (isNew) {
            this.#range = range;
            [this.in, this.out] = range ?? [null, null];
            this.repeats = range !== null;
        }
        if (this.in !== null && this.in >= this.#frames) this.in = null;
        if (this.out !== null && (this.out > this.#frames || this.out <= this.start)) this.out = null;
    }

    get start() { return this.in ?? 0; }
    get end() { return this.out ?? this.#frames; }
    get areSet() { return this.in !== null || this.out !== null; }

    setIn(frame) {
        this.in = Math.max(0, Math.min(frame, this.#frames - 1));
        if (this.out !== null && this.out <= this.in) this.out = null;
        this.repeats = true;
    }

    /** @param {number} frame the last frame to play */
    setOut(frame) {
        this.out = Math.max(1, Math.min(frame + 1, this.#frames));
        if (this.in !== null && this.in >= this.out) this.in = null;
        this.repeats = true;
    }

    clear() {
        this.in = null;
        this.out = null;
    }
}
