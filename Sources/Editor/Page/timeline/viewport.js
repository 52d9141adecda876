/** The part of the timeline that is seen: pixels for a frame, and how far it is scrolled. */
export class Viewport {
    scale = 1;
    frames = 0;
    /** Whether the whole is seen, also when the page or the draft becomes longer. */
    isFitted = true;

    /** @param {HTMLElement} scroller scrolls `sheet`, which is as wide as the whole
     *  @param {() => void} changed */
    constructor(scroller, sheet, changed) {
        Object.assign(this, { scroller, sheet, changed });
        // Kept, for to ask a page for it is to lay it out.
        this.left = 0;
        this.width = scroller.clientWidth;
    }

    /** Room behind the end, so that it can be grabbed. */
    get margin() { return 24; }
    get fitting() { return this.frames ? Math.max(0.0001, (this.width - this.margin) / this.frames) : 1; }
    get largest() { return 48; }

    x(frame) { return frame * this.scale - this.left; }
    frame(x) { return (x + this.left) / this.scale; }

    setFrames(frames) {
        this.frames = frames;
        this.resize();
    }

    resize() {
        this.width = this.scroller.clientWidth;
        if (this.isFitted) this.scale = this.fitting;
        this.#apply();
    }

    fit() {
        this.isFitted = true;
        this.resize();
        this.#scroll(0);
    }

    /** Zooms by a factor; what is at `x` stays there. */
    zoom(factor, x) {
        const frame = this.frame(x);
        const scale = Math.min(this.largest, Math.max(this.fitting, this.scale * factor));
        this.isFitted = scale <= this.fitting;
        this.scale = scale;
        this.#apply();
        this.#scroll(frame * scale - x);
    }

    /** Scrolls so that a frame is seen. */
    reveal(frame, isAtLeft = false) {
        const x = this.x(frame);
        if (x >= 0 && x <= this.width - 8) return;
        this.#scroll(frame * this.scale - (isAtLeft ? 48 : this.width / 2));
    }

    /** Takes the place to which somebody has scrolled. */
    follow() {
        this.left = this.scroller.scrollLeft;
        this.changed();
    }

    #scroll(left) {
        this.scroller.scrollLeft = left;
        this.follow();
    }

    #apply() {
        this.sheet.style.width = `${Math.ceil(this.frames * this.scale + this.margin)}px`;
        this.follow();
    }
}
