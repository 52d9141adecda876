import { address, getPicture } from "../core/protocol.js";

/** The export's exact picture of a frame, over the video's picture while that is paused. */
export class Still {
    #abort = null;
    #timer = 0;
    /** What is drawn: `{ frame, mark, width }`; null where nothing is. */
    #shown = null;
    #asked = null;

    /** @param {(wish: object) => void} arrived called when the picture that was asked for is seen
     *  @param {(message: string) => void} failed */
    constructor(canvas, { arrived, failed }) {
        Object.assign(this, { canvas, arrived, failed });
        this.context = canvas.getContext("2d", { alpha: false });
    }

    get isVisible() { return !this.canvas.hidden; }
    /** The frame whose picture is seen; -1 where none is. */
    get frame() { return this.isVisible ? this.#shown.frame : -1; }

    /** Asks for a frame's picture; what was asked for before is no longer wanted.
     * @param {{ frame: number, revision: number, mark: string, width: number | null, delay: number }} wish
     *  - mark: says the picture's content: a picture of the same frame and mark is the same
     *  - width: of the picture, in pixels; null: as large as it is */
    request(wish) {
        const isSame = (other) => other && other.frame === wish.frame && other.mark === wish.mark && suffices(other.width, wish.width);
        if (isSame(this.#shown) && this.isVisible) return this.cancel();
        if (isSame(this.#asked)) return;
        this.cancel();
        this.#asked = wish;
        this.#timer = setTimeout(() => this.#fetch(wish), wish.delay);
    }

    /** Ends the request on its way. */
    cancel() {
        clearTimeout(this.#timer);
        this.#abort?.abort();
        this.#abort = null;
        this.#asked = null;
    }

    /** Makes the video's picture seen. */
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

/** Whether a picture is as wide as one that is wished for; null is the whole width. */
function suffices(width, wished) {
    return width === null || (wished !== null && width >= wished);
}
