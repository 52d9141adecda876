/** Plays backwards. No video element supports that, so frames are sought one after the other, as
 * fast as they arrive. */
export class Rewind {
    #timer = 0;

    /** @param {(frame: number) => void} reach called with each frame
     * @param {() => void} ended called at the beginning, unless playing in a loop */
    constructor(reach, ended) {
        this.reach = reach;
        this.ended = ended;
    }

    get isRunning() { return this.#timer !== 0; }

    /** @param {number} speed in frames per second
     * @param {[number, number] | null} loop */
    start(frame, speed, loop) {
        this.stop();
        let [from, begun] = [frame, performance.now()];
        const tick = () => {
            const place = Math.round(from - ((performance.now() - begun) / 1000) * speed);
            const first = loop ? loop[0] : 0;
            if (place >= first) {
                this.#timer = requestAnimationFrame(tick);
                this.reach(place);
            } else if (loop) {
                [from, begun] = [loop[1] - 1, performance.now()];
                this.#timer = requestAnimationFrame(tick);
            } else {
                this.#timer = 0;
                this.reach(0);
                this.ended();
            }
        };
        this.#timer = requestAnimationFrame(tick);
    }

    stop() {
        cancelAnimationFrame(this.#timer);
        this.#timer = 0;
    }
}
