/** Seconds that are to be there before playing goes on: else it would stop again at once. */
const start = 1.5;

/** Stops the video where there is no picture or sound yet, and lets it go on when there is. By itself a browser plays sound for
 * seconds over a picture that stands. */
export class Patience {
    isHolding = false;

    /** @param {{ video: HTMLVideoElement, feed: Feed, go: () => void, changed: () => void }} parts */
    constructor(parts) {
        Object.assign(this, parts);
    }

    /** Looks whether playing can go on at a time.
     * @param {number} end where what is played ends
     * @param {number} step seconds of a frame */
    check(time, end, step) {
        const covers = (seconds) => this.feed.covers(Math.max(0, Math.min(seconds, end - step)));
        if (this.isHolding) {
            if (!covers(time) || !covers(time + start)) return;
            this.isHolding = false;
            this.go();
            this.changed();
        } else if (!covers(time) || !covers(time + step)) {
            this.isHolding = true;
            this.video.pause();
            this.changed();
        }
    }

    /** Forgets that it holds: somebody has paused, or gone elsewhere. */
    release() {
        this.isHolding = false;
    }
}
