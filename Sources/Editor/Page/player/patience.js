/** The seconds that must be buffered before playback resumes: otherwise it would soon stop again.
 */
const start = 1.5;

/** Stops the video where the picture or sound is not ready, and resumes it when it is. Browsers
 * would otherwise play the sound for seconds over a frozen picture. */
export class Patience {
    isHolding = false;

    /** @param {{
     *   video: HTMLVideoElement, feed: Feed, go: () => void, changed: () => void,
     * }} parts */
    constructor(parts) {
        Object.assign(this, parts);
    }

    /** Checks whether playback can continue at a time.
     * @param {number} end the end of the range to play
     * @param {number} step the duration of a frame in seconds */
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

    /** Resets the state: the user has paused or moved the playhead. */
    release() {
        this.isHolding = false;
    }
}
