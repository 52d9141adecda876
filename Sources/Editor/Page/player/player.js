import { Emitter } from "../core/emitter.js";
import { paced } from "../core/dom.js";
import { Feed } from "./feed.js";
import { Marks } from "./marks.js";
import { Patience } from "./patience.js";
import { Rewind } from "./rewind.js";

/** Rates that one can choose. */
export const rates = [0.25, 0.5, 0.75, 1, 1.25, 1.5, 2, 3, 4];

/** The playhead: what plays, where, and how fast. The video element keeps time, by its sound.
 *
 * Events: `frame` (the playhead's), `playing`, `rate`, `marks`, `shown` (a frame of the preview is seen), `waiting` (whether data is
 * waited for), `volume`, `changed` (other parts can be played). */
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
    /** Whether it plays as soon as there is something to play. */
    get isWaiting() { return this.patience.isHolding; }
    get lastFrame() { return Math.max(0, this.#frames - 1); }
    get loop() { return this.marks.repeats ? [this.marks.start, this.marks.end] : null; }

    /** Takes a new revision; the playhead stays, and what plays goes on. */
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

    /** @param {number} rate how fast; as before where nothing is said */
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
        // The middle of the frame that is seen: the next step counts from there.
        if (wasPlaying) this.#moveTo(this.frame);
    }

    /** Plays backwards, by pictures, without sound. */
    playBackward(rate = 1) {
        if (!this.#frames) return;
        this.video.pause();
        this.patience.release();
        this.rewind.start(this.frame, this.clock.rate * rate, this.loop);
        this.rate = rate;
        this.emit("rate", rate);
        this.#setPlaying(true);
    }

    /** L and J: play that way, and each time twice as fast. */
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

    /** Tells of marks that somebody has moved. */
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
        // A hidden page draws no pictures; its sound still loops.
        video.addEventListener("timeupdate", () => { if (document.hidden) this.#follow(video.currentTime); });
        video.addEventListener("volumechange", () => this.emit("volume"));
        const picture = (_, { mediaTime }) => {
            video.requestVideoFrameCallback(picture);
            // After a seek some browsers say the time that was sought, which is a frame's middle.
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
            // A browser that allows no sound before somebody touched the page; what was aborted is somebody's own pause.
            if (error.name === "NotAllowedError") this.pause();
        }
    }

    #tick() {
        const { video, clock, marks } = this;
        if (!video.seeking) this.#follow(video.currentTime);
        // A seek has its own place: it may end only when there is something.
        if (this.isPlaying) this.patience.check(video.currentTime, clock.seconds(marks.end), clock.seconds(1));
    }

    #follow(time) {
        const { end } = this.marks;
        const frame = this.clock.frame(time);
        // A little before: the next picture of the page would show what lies behind.
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

    /** A frame that playing backwards has come to. */
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

    /** Seeks. While a seek is under way and can end, the next waits for it, so that pictures are seen when somebody drags. */
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
