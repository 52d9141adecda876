import { Emitter } from "../core/emitter.js";
import { paced } from "../core/dom.js";
import { Feed } from "./feed.js";
import { Marks } from "./marks.js";
import { Patience } from "./patience.js";
import { Rewind } from "./rewind.js";

/** The available playback rates. */
export const rates = [0.25, 0.5, 0.75, 1, 1.25, 1.5, 2, 3, 4];

/** The playhead: its state, position and rate. The video element is the clock, through its sound.
 *
 * Events: `frame` (the playhead's), `playing`, `rate`, `marks`, `shown` (a frame of the preview
 * is shown), `waiting` (whether data is missing), `volume`, `changed` (the playable ranges have
 * changed). */
export class Player extends Emitter {
    frame = 0;
    isPlaying = false;
    rate = 1;
    marks = new Marks();
    #frames = 0;
    #next = null;

    constructor(video, session) {
        super();
        this.video = video;
        this.session = session;
        this.feed = new Feed(video, session);
        this.rewind = new Rewind((frame) => this.#reach(frame), () => this.pause());
        this.patience = new Patience({
            video, feed: this.feed, go: () => this.#start(), changed: () => this.emit("waiting", this.isWaiting),
        });
        this.tell = paced(60, () => this.#tell());
        video.preservesPitch = true;
        this.#listen();
    }

    get clock() { return this.session.clock; }
    get isBackward() { return this.rewind.isRunning; }
    /** Whether it will play as soon as data is available. */
    get isWaiting() { return this.patience.isHolding; }
    get lastFrame() { return Math.max(0, this.#frames - 1); }
    get loop() { return this.marks.repeats ? [this.marks.start, this.marks.end] : null; }

    /** Takes over a new revision; the playhead stays, and playback continues. */
    load(state) {
        this.#frames = state.draft?.frames ?? 0;
        this.marks.load(state.draft);
        this.emit("marks");
        if (this.frame > this.lastFrame) this.#moveTo(this.lastFrame);
        this.feed.load(state, this.clock);
        this.#wish();
        this.emit("frame", this.frame);
    }

    // MARK: Acts

    toggle() {
        if (this.isPlaying) this.pause();
        else this.play();
    }

    /** @param {number} rate the rate; by default unchanged */
    play(rate = this.rate) {
        if (!this.#frames) return;
        this.rewind.stop();
        this.setRate(rate);
        const { start, end } = this.marks;
        if (this.frame >= end - 1 || this.frame < start) this.#moveTo(start);
        this.#setPlaying(true);
        this.#start();
    }

    pause() {
        const wasPlaying = this.isPlaying;
        this.rewind.stop();
        this.patience.release();
        this.video.pause();
        this.#setPlaying(false);
        // The middle of the visible frame: the next step counts from there.
        if (wasPlaying) this.#moveTo(this.frame);
    }

    /** Plays backwards, as pictures without sound. */
    playBackward(rate = 1) {
        if (!this.#frames) return;
        this.video.pause();
        this.patience.release();
        this.rewind.start(this.frame, this.clock.rate * rate, this.loop);
        this.rate = rate;
        this.emit("rate", rate);
        this.#setPlaying(true);
    }

    /** Plays in a direction; repeated calls double the rate (J and L). */
    shuttle(isForward) {
        const goesOn = this.isPlaying && this.isBackward !== isForward;
        const rate = goesOn ? Math.min(4, Math.max(1, this.rate * 2)) : 1;
        if (isForward) this.play(rate);
        else this.playBackward(rate);
    }

    setRate(rate) {
        this.rate = rate;
        this.video.defaultPlaybackRate = rate;
        this.video.playbackRate = rate;
        this.emit("rate", rate);
        this.#wish();
    }

    step(frames) {
        if (this.isPlaying) this.pause();
        this.seek(this.frame + frames);
    }

    seek(frame) {
        const place = Math.max(0, Math.min(Math.round(frame), this.lastFrame));
        if (this.isBackward) this.rewind.start(place, this.clock.rate * this.rate, this.loop);
        this.#moveTo(place);
    }

    setMark(kind) {
        if (kind === "in") this.marks.setIn(this.frame);
        else if (kind === "out") this.marks.setOut(this.frame);
        else this.marks.clear();
        this.changeMarks();
    }

    toggleRepeat() {
        this.marks.repeats = !this.marks.repeats;
        this.changeMarks();
    }

    /** Emits a change of the marks by the user. */
    changeMarks() {
        this.emit("marks");
        this.#wish();
    }

    setVolume(volume) {
        this.video.volume = Math.max(0, Math.min(1, volume));
        this.video.muted = this.video.volume === 0;
    }

    toggleMute() { this.video.muted = !this.video.muted; }

    // MARK: The video element

    #listen() {
        const { video } = this;
        video.addEventListener("seeked", () => this.#seekAgain());
        video.addEventListener("ended", () => this.#end());
        // A hidden page draws no pictures; its sound must loop nevertheless.
        video.addEventListener("timeupdate", () => { if (document.hidden) this.#follow(video.currentTime); });
        video.addEventListener("volumechange", () => this.emit("volume"));
        const picture = (_, { mediaTime }) => {
            video.requestVideoFrameCallback(picture);
            // After a seek, some browsers report the time of the seek, which is the middle of a
            // frame.
            this.emit("shown", this.clock.frame(mediaTime + 0.25 / this.clock.rate));
        };
        video.requestVideoFrameCallback?.(picture);
        const tick = () => {
            if (this.isPlaying && !this.isBackward) this.#tick();
            if (this.isPlaying) requestAnimationFrame(tick);
        };
        this.on("playing", (isPlaying) => { if (isPlaying) requestAnimationFrame(tick); });
        setInterval(() => { if (this.isPlaying) this.#wish(); }, 1000);
        this.feed.on("opened", () => {
            this.#place(this.clock.middle(this.frame));
            if (this.isPlaying && !this.isBackward) this.#start();
        });
        this.feed.on("replaced", () => this.#place(this.isPlaying ? video.currentTime : this.clock.middle(this.frame)));
        this.feed.on("changed", () => {
            if (this.isPlaying && !this.isBackward) this.#tick();
            this.emit("changed");
        });
        for (const name of ["ready", "failed"]) this.session.on(name, () => this.feed.check());
    }

    async #start() {
        try {
            await this.video.play();
        } catch (error) {
            // The browser allows no sound before the user interacts with the page. AbortError comes
            // from the user's own pause.
            if (error.name === "NotAllowedError") this.pause();
        }
    }

    #tick() {
        const { video, clock, marks } = this;
        if (!video.seeking) this.#follow(video.currentTime);
        // A seek may only end when data is available.
        if (this.isPlaying) this.patience.check(video.currentTime, clock.seconds(marks.end), clock.seconds(1));
    }

    #follow(time) {
        const { end } = this.marks;
        const frame = this.clock.frame(time);
        // Slightly early: the next animation frame would show what is after the end.
        if (time >= this.clock.seconds(end) - 0.012) return this.#end();
        if (frame === this.frame) return;
        this.frame = frame;
        this.emit("frame", frame);
    }

    #end() {
        if (!this.isPlaying || this.isBackward) return;
        const { start, end, repeats } = this.marks;
        if (repeats) {
            this.#moveTo(start);
            this.#start();
        } else {
            this.pause();
            this.#moveTo(end - 1);
        }
    }

    // MARK: Places

    /** Handles a frame reached by backward playback. */
    #reach(frame) {
        if (!this.video.seeking) this.#moveTo(frame);
        else if (frame !== this.frame) this.#setFrame(frame);
    }

    #moveTo(frame) {
        this.#setFrame(frame);
        this.#place(this.clock.middle(frame));
        this.#wish();
    }

    #setFrame(frame) {
        this.frame = frame;
        this.emit("frame", frame);
    }

    /** Seeks. While a seek is in progress and can end, the next one waits for it, so that
     * pictures appear during dragging. */
    #place(time) {
        const { video } = this;
        if (video.seeking && this.feed.hasPicture(video.currentTime)) {
            this.#next = time;
        } else {
            this.#next = null;
            video.currentTime = time;
        }
    }

    #seekAgain() {
        const time = this.#next;
        this.#next = null;
        if (time !== null && time !== this.video.currentTime) this.video.currentTime = time;
    }

    // MARK: What others are told

    #setPlaying(isPlaying) {
        if (this.isPlaying !== isPlaying) {
            this.isPlaying = isPlaying;
            this.emit("playing", isPlaying);
        }
        this.#wish();
    }

    #wish() {
        const { clock, loop } = this;
        const time = this.isPlaying && !this.video.seeking && !this.isBackward ? this.video.currentTime : clock.middle(this.frame);
        const seconds = loop && loop.map((frame) => clock.seconds(frame));
        this.feed.setWish({ time, rate: this.isPlaying ? this.rate : 1, loop: this.isPlaying ? seconds : null });
        this.tell();
    }

    #tell() {
        const rate = this.isBackward ? -this.rate : this.rate;
        this.session.line.send({ type: "playhead", frame: this.frame, playing: this.isPlaying, rate, loop: this.loop });
    }
}
