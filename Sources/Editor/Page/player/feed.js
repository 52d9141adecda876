import { Emitter } from "../core/emitter.js";
import { soundPieces, videoPieces } from "./pieces.js";
import { Track } from "./track.js";

/** Feeds the video element: a MediaSource with a picture track and a sound track, kept filled
 * around the playhead. A new revision replaces only what has changed; only a change of codecs needs a new
 * MediaSource.
 *
 * Events: `changed` (the playable ranges have changed), `replaced` (the picture at the playhead
 * has changed). */
export class Feed extends Emitter {
    #source = null;
    #signature = null;
    #tracks = [];
    #pieces = {};
    #frame = 0.04;
    #duration = 0;
    /** The duration that was set on the source. */
    #applied = 0;
    #wish = { time: 0, rate: 1, loop: null };
    #isRunning = false;
    #again = false;
    #isReplacing = false;

    constructor(video, session) {
        super();
        this.video = video;
        this.session = session;
        video.addEventListener("error", () => { if (this.#source) this.#openAgain(); });
    }

    /** Takes over the parts and pieces of a state. */
    load(state, clock) {
        const kinds = [];
        if (state.draft?.has_picture && state.video) kinds.push(["part", state.video.mime]);
        if (state.draft?.has_sound && state.sound) kinds.push(["sound", state.sound.mime]);
        this.#duration = state.draft?.duration ?? 0;
        this.#frame = clock.seconds(1);
        this.#pieces = { part: videoPieces(state, clock), sound: soundPieces(state) };
        const signature = JSON.stringify(kinds);
        if (signature === this.#signature) {
            this.#fill();
        } else {
            this.#signature = signature;
            this.#open(kinds);
        }
    }

    #fill() {
        for (const track of this.#tracks) {
            track.frame = track.folder === "part" ? this.#frame : 0.001;
            if (track.setPieces(this.#pieces[track.folder])) this.#isReplacing = true;
        }
        this.#run();
    }

    /** @param {{ time: number, rate: number, loop: [number, number] | null }} wish the playhead,
     * in seconds */
    setWish(wish) {
        this.#wish = wish;
        for (const track of this.#tracks) track.setWish(wish);
        this.#run();
    }

    /** Checks again what can be fetched. */
    check() { this.#run(); }

    /** Returns whether all tracks can be played at a time. */
    covers(time) { return this.#tracks.length > 0 && this.#tracks.every((track) => track.covers(time)); }

    /** Returns whether there is a picture at a time. */
    hasPicture(time) { return this.#tracks.find((track) => track.folder === "part")?.covers(time) ?? false; }

    /** The ranges in seconds that can be played immediately: of the picture, or of the sound if
     * there is none. */
    get ranges() { return this.#tracks[0]?.ranges ?? []; }

    async #open(kinds) {
        for (const track of this.#tracks) track.close();
        this.#tracks = [];
        const source = new MediaSource();
        this.#source = source;
        const url = URL.createObjectURL(source);
        this.video.src = url;
        await new Promise((resolve) => source.addEventListener("sourceopen", resolve, { once: true }));
        URL.revokeObjectURL(url);
        if (this.#source !== source) return;
        const playable = kinds.filter(([, mime]) => MediaSource.isTypeSupported(mime));
        if (playable.length < kinds.length) this.emit("unsupported");
        this.#tracks = playable.map(([folder, mime]) => new Track({
            buffer: source.addSourceBuffer(mime), folder, frame: this.#frame, session: this.session,
            changed: () => this.#run(),
        }));
        for (const track of this.#tracks) track.setWish(this.#wish);
        this.#applied = this.#duration;
        if (this.#tracks.length) source.duration = this.#duration;
        this.emit("opened");
        this.#fill();
    }

    /** Reopens the source after a decoding error, with a delay, because the error may recur. */
    #openAgain() {
        this.#source = null;
        this.#signature = null;
        setTimeout(() => this.session.refresh(), 1000);
    }

    // MARK: Steps, one at a time

    async #run() {
        this.#again = true;
        if (this.#isRunning) return;
        this.#isRunning = true;
        while (this.#again) {
            this.#again = false;
            const source = this.#source;
            try {
                await this.#work(source);
            } catch {
                if (source === this.#source) this.#openAgain();
            }
        }
        this.#isRunning = false;
    }

    async #work(source) {
        if (!source || source.readyState === "closed") return;
        if (this.#applied !== this.#duration) await this.#setDuration(source);
        for (;;) {
            const step = this.#tracks.map((track) => track.next()).find((found) => found);
            if (!step) break;
            await step();
            if (source !== this.#source) return;
            this.emit("changed");
            if (this.#isReplacing && this.covers(this.#wish.time)) {
                this.#isReplacing = false;
                this.emit("replaced");
            }
        }
        const isWhole = this.#tracks.length > 0 && this.#tracks.every((track) => track.isAtEnd);
        if (isWhole && source.readyState === "open") source.endOfStream();
    }

    /** Sets the duration to the draft's, and removes what is after the end. */
    async #setDuration(source) {
        this.#applied = this.#duration;
        for (const { buffer } of this.#tracks) {
            const settled = new Promise((resolve) => buffer.addEventListener("updateend", resolve, { once: true }));
            // Appending nothing reopens a source after endOfStream().
            if (source.duration > this.#duration) buffer.remove(this.#duration, Infinity);
            else buffer.appendBuffer(new Uint8Array(0));
            await settled;
        }
        if (source === this.#source && source.readyState === "open") source.duration = this.#duration;
    }
}
