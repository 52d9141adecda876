import { getBytes } from "../core/protocol.js";
import { holds, indexAt, wanted } from "./pieces.js";

/** The seconds to keep ahead of the playhead and behind it, initially; a full buffer reduces
 * them. */
const usualReach = { ahead: 45, behind: 15 };
const leastReach = 8;
/** Concurrent requests by folder: a browser allows six in total. One of each may wait for
 * rendering. */
const requests = { part: 2, sound: 1 };

/** One track of the player: a SourceBuffer, the pieces that belong in it, and those being
 * fetched. The owner of the MediaSource calls `next` for the next step, and carries it out. */
export class Track {
    #pieces = [];
    /** The appended pieces, by id. */
    #inside = new Map();
    /** Pieces that are in the buffer but no longer belong there. */
    #stale = [];
    /** Pieces that were fetched and wait to be appended, and those being fetched, by id:
     * `{ piece, bytes, abort, waits }`. */
    #coming = new Map();
    #reach = { ...usualReach };
    #wish = { time: 0, rate: 1, loop: null };

    /** @param {{ buffer: SourceBuffer, folder: string, frame: number, session: Session, changed:
     * () => void }} parts
     * - frame: the duration of a frame or of a block of sound, in seconds: removed ranges are
     *   shortened by half of it at both ends
     * - changed: called when there is a next step */
    constructor({ buffer, folder, frame, session, changed }) {
        Object.assign(this, { buffer, folder, frame, session, changed });
    }

    /** Sets the pieces of a new revision. Buffered pieces that no longer belong there are removed,
     * the others stay.
     * @returns whether the place of the playhead is affected */
    setPieces(pieces) {
        this.#pieces = pieces;
        const ids = new Set(pieces.map((piece) => piece.id));
        let isTouched = false;
        for (const piece of this.#inside.values()) {
            if (ids.has(piece.id)) continue;
            this.#inside.delete(piece.id);
            this.#stale.push(piece);
            isTouched ||= piece.start <= this.#wish.time + 1 && piece.end > this.#wish.time;
        }
        for (const [id, request] of this.#coming) if (!ids.has(id)) this.#drop(id, request);
        return isTouched;
    }

    /** @param {{ time: number, rate: number, loop: [number, number] | null }} wish the playhead */
    setWish(wish) {
        this.#wish = wish;
        this.#request();
    }

    /** Returns a function that carries out the next step; null if there is none now. */
    next() {
        const stale = this.#stale.pop();
        if (stale) return () => this.#remove(stale);
        this.#noticeLosses();
        this.#request();
        const order = this.#order();
        const arrived = order.find((piece) => this.#coming.get(piece.id)?.bytes);
        if (arrived) return () => this.#append(arrived);
        const far = this.#farthest(1.5);
        return far ? () => this.#remove(far) : null;
    }

    /** Returns whether there is a picture, or sound, at a time. */
    covers(time) {
        const piece = this.#pieces[indexAt(this.#pieces, time)];
        return piece !== undefined && this.#inside.has(piece.id);
    }

    /** Whether the end of the track is buffered, and nothing is being fetched: the stream can be
     * ended. */
    get isAtEnd() {
        const last = this.#pieces.at(-1);
        return last === undefined || (this.#inside.has(last.id) && this.#coming.size === 0);
    }

    /** The ranges in seconds that can be played immediately. */
    get ranges() {
        const { buffered } = this.buffer;
        return Array.from({ length: buffered.length }, (_, index) => [buffered.start(index), buffered.end(index)]);
    }

    close() {
        for (const [id, request] of this.#coming) this.#drop(id, request);
    }

    #order() {
        const { time, rate, loop } = this.#wish;
        const ahead = this.#reach.ahead * Math.max(1, rate);
        return wanted(this.#pieces, { time, ahead, behind: this.#reach.behind, loop });
    }

    // MARK: Fetching

    #request() {
        const order = this.#order();
        const here = this.#pieces[indexAt(this.#pieces, this.#wish.time)];
        const ids = new Set(order.map((piece) => piece.id));
        for (const [id, request] of this.#coming) {
            if (!ids.has(id) || (request.waits && request.piece !== here)) this.#drop(id, request);
        }
        let running = [...this.#coming.values()].filter((request) => !request.bytes).length;
        for (const piece of order) {
            if (running >= requests[this.folder]) break;
            if (this.#inside.has(piece.id) || this.#coming.has(piece.id) || this.session.failed.has(piece.key)) continue;
            const isReady = this.session.ready.has(piece.key);
            if (!isReady && piece !== here) continue;
            this.#fetch(piece, !isReady);
            running += 1;
        }
    }

    async #fetch(piece, waits) {
        const abort = new AbortController();
        const request = { piece, waits, abort, bytes: null };
        this.#coming.set(piece.id, request);
        const priority = piece.start <= this.#wish.time && piece.end > this.#wish.time ? "high" : "auto";
        try {
            request.bytes = await getBytes(`/${this.folder}/${piece.key}.mp4`, { signal: abort.signal, priority });
            request.waits = false;
        } catch (error) {
            if (this.#coming.get(piece.id) === request) this.#coming.delete(piece.id);
            if (error.name === "AbortError") return;
            if (error.status === 410) this.session.receiveFailure(piece.key, error.message);
            else if (error.status === 404) setTimeout(() => this.session.refresh(), 1000);
            else setTimeout(this.changed, 1000);
            return;
        }
        this.changed();
    }

    #drop(id, request) {
        this.#coming.delete(id);
        if (!request.bytes) request.abort.abort();
    }

    // MARK: The buffer

    async #append(piece) {
        const { bytes } = this.#coming.get(piece.id);
        this.buffer.timestampOffset = piece.start;
        try {
            await this.#settled(() => this.buffer.appendBuffer(bytes));
        } catch (error) {
            if (error.name !== "QuotaExceededError") {
                this.#coming.delete(piece.id);
                throw error;
            }
            this.#shrink();
            const far = this.#farthest(0);
            if (!far) throw error;
            await this.#remove(far);
            return;
        }
        this.#coming.delete(piece.id);
        this.#inside.set(piece.id, piece);
    }

    async #remove(piece) {
        this.#inside.delete(piece.id);
        // Shorten the range by half a frame at both ends: this piece's frames are inside, however
        // their times were rounded.
        const spared = this.frame / 2;
        const start = Math.max(0, piece.start - spared);
        if (piece.end - spared > start) await this.#settled(() => this.buffer.remove(start, piece.end - spared));
    }

    /** Returns the buffered piece that is farthest from the playhead, if it is farther than
     * `factor` times the reach. */
    #farthest(factor) {
        const { time, rate, loop } = this.#wish;
        const wished = new Set(loop && factor > 0 ? this.#order().map((piece) => piece.id) : []);
        let [found, most] = [null, 0];
        for (const piece of this.#inside.values()) {
            const ahead = (piece.start - time) / (this.#reach.ahead * Math.max(1, rate));
            const behind = (time - piece.end) / this.#reach.behind;
            const distance = Math.max(ahead, behind);
            if (distance > most && distance > factor && !wished.has(piece.id)) [found, most] = [piece, distance];
        }
        return found;
    }

    /** Handles pieces that the browser has evicted to save memory: less is kept from then on. */
    #noticeLosses() {
        const { buffered } = this.buffer;
        let isLost = false;
        for (const [id, piece] of this.#inside) {
            if (holds(buffered, piece)) continue;
            this.#inside.delete(id);
            isLost = true;
        }
        if (isLost) this.#shrink();
    }

    #shrink() {
        this.#reach.ahead = Math.max(leastReach, this.#reach.ahead * 0.7);
        this.#reach.behind = Math.max(leastReach / 2, this.#reach.behind * 0.7);
    }

    /** Performs one operation on the buffer, and waits for its end. */
    #settled(act) {
        return new Promise((resolve, reject) => {
            const end = (event) => {
                this.buffer.removeEventListener("updateend", end);
                this.buffer.removeEventListener("error", end);
                if (event.type === "error") reject(new Error(event.type));
                else resolve();
            };
            this.buffer.addEventListener("updateend", end);
            this.buffer.addEventListener("error", end);
            try {
                act();
            } catch (error) {
                this.buffer.removeEventListener("updateend", end);
                this.buffer.removeEventListener("error", end);
                reject(error);
            }
        });
    }
}
