/** The visible part of the timeline: pixels per frame, and the scroll offset. */
export class Viewport {
    scale = 1;
    frames = 0;
    /** Whether the whole timeline is fitted to the page, also after either changes its length. */
    isFitted = true;

    /** @param {HTMLElement} scroller scrolls `sheet`, which is as wide as the whole timeline
     * @param {() => void} changed */
    constructor(scroller, sheet, changed) {
        Object.assign(this, { scroller, sheet, changed });
        // Cached, because reading it from the page forces a layout.
        this.left = 0;
        this.width = scroller.clientWidth;
    }

    /** The space after the end, so that the end can be dragged. */
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

    /** Zooms by a factor; the position at `x` stays there. */
    zoom(factor, x) {
        const frame = this.frame(x);
        const scale = Math.min(this.largest, Math.max(this.fitting, this.scale * factor));
        this.isFitted = scale <= this.fitting;
        this.scale = scale;
        this.#apply();
        this.#scroll(frame * scale - x);
    }

    /** Scrolls so that a frame is visible. */
    reveal(frame, isAtLeft = false) {
        const x = this.x(frame);
        if (x >= 0 && x <= this.width - 8) return;
        this.#scroll(frame * this.scale - (isAtLeft ? 48 : this.width / 2));
    }

    /** Follows a scroll by the user. */
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
