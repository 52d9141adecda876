import { address, getPicture } from "../core/protocol.js";

/** The exact picture of a frame, shown over the video while it is paused. */
export class Still {
    #abort = null;
    #timer = 0;
    /** The drawn picture: `{ frame, mark, width }`; null if there is none. */
    #shown = null;
    #asked = null;

    /** @param {(wish: object) => void} arrived called when the requested picture is shown
     * @param {(message: string) => void} failed */
    constructor(canvas, { arrived, failed }) {
        Object.assign(this, { canvas, arrived, failed });
        this.context = canvas.getContext("2d", { alpha: false });
    }

    get isVisible() { return !this.canvas.hidden; }
    /** The frame whose picture is shown; -1 if there is none. */
    get frame() { return this.isVisible ? this.#shown.frame : -1; }

    /** Requests a frame's picture, and drops the previous request.
     * @param {{ frame: number, revision: number, mark: string, width: number | null, delay: number
     * }} wish
     * - mark: identifies the content: a picture of the same frame and mark is the same
     * - width: of the picture, in pixels; null: its full width */
    request(wish) {
        const isSame = (other) => other && other.frame === wish.frame && other.mark === wish.mark && suffices(other.width, wish.width);
        if (isSame(this.#shown) && this.isVisible) return this.cancel();
        if (isSame(this.#asked)) return;
        this.cancel();
        this.#asked = wish;
        this.#timer = setTimeout(() => this.#fetch(wish), wish.delay);
    }

    /** Cancels the current request. */
    cancel() {
        clearTimeout(this.#timer);
        this.#abort?.abort();
        this.#abort = null;
        this.#asked = null;
    }

    /** Shows the picture of the video. */
    hide() {
        this.canvas.hidden = true;
        this.#shown = null;
    }

    async #fetch(wish) {
        const abort = new AbortController();
        this.#abort = abort;
        const path = `/frame/${wish.revision}/${wish.frame}.png`;
        try {
            const picture = await getPicture(wish.width ? address(path, { width: wish.width }) : path, abort.signal);
            if (!abort.signal.aborted) this.#show(picture, wish);
            picture.close();
        } catch (error) {
            if (abort.signal.aborted) return;
            this.#asked = null;
            this.failed(error);
        }
    }

    #show(picture, wish) {
        this.#asked = null;
        this.#shown = wish;
        this.canvas.width = picture.width;
        this.canvas.height = picture.height;
        this.context.drawImage(picture, 0, 0);
        this.canvas.hidden = false;
        this.arrived(wish);
    }
}

/** Returns whether a picture is as wide as requested; null is the full width. */
function suffices(width, wished) {
    return width === null || (wished !== null && width >= wished);
}
