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
    }

    get width() { return this.scroller.clientWidth; }
    get left() { return this.scroller.scrollLeft; }
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
        if (this.isFitted) this.scale = this.fitting;
        this.#apply();
    }

    fit() {
        this.isFitted = true;
        this.scroller.scrollLeft = 0;
        this.resize();
    }

    /** Zooms by a factor; what is at `x` stays there. */
    zoom(factor, x) {
        const frame = this.frame(x);
        const scale = Math.min(this.largest, Math.max(this.fitting, this.scale * factor));
        this.isFitted = scale <= this.fitting;
        this.scale = scale;
        this.#apply();
        this.scroller.scrollLeft = frame * scale - x;
        this.changed();
    }

    /** Scrolls so that a frame is seen. */
    reveal(frame, isAtLeft = false) {
        const x = this.x(frame);
        if (x >= 0 && x <= this.width - 8) return;
        this.scroller.scrollLeft = frame * this.scale - (isAtLeft ? 48 : this.width / 2);
    }

    #apply() {
        this.sheet.style.width = `${Math.ceil(this.frames * this.scale + this.margin)}px`;
        this.changed();
    }
}
