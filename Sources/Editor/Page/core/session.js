import { Clock } from "./clock.js";
import { Emitter } from "./emitter.js";
import { getJSON, Line } from "./protocol.js";

/** What the server says of the script: its last state, what is rendered, what goes on.
 *
 * Events: `state` (new, old), `ready` (keys), `failed` (key, message), `damaged` (messages), `loading`, `progress` (message), `export` (its state),
 * `connected` (whether), `refused`. */
export class Session extends Emitter {
    state = null;
    clock = new Clock();
    /** Keys of parts and pieces of sound that can be fetched. */
    ready = new Set();
    /** Keys of what cannot be rendered, with why. */
    failed = new Map();
    /** What is damaged of the media in what is rendered so far. */
    damaged = [];
    isLoading = true;
    #fetching = false;
    #again = false;
    /** Keys that were told of while a state was on its way: it may be older than they are. */
    #news = [];

    start() {
        this.line = new Line({
            message: (message) => this.#receive(message),
            connected: (isThere) => {
                this.emit("connected", isThere);
                if (!isThere) this.refresh();
            },
        });
        this.refresh();
    }

    /** Fetches the state; asked again meanwhile, once more after that. */
    async refresh() {
        if (this.#fetching) {
            this.#again = true;
            return;
        }
        this.#fetching = true;
        do {
            this.#again = false;
            this.#news = [];
            try {
                this.#take(await getJSON("/api/state"));
            } catch (error) {
                // That the server is gone, the line tells, and asks when it is there again. Another one may have its port.
                if (error.status === 403) this.emit("refused");
            }
        } while (this.#again);
        this.#fetching = false;
    }

    #take(state) {
        const old = this.state;
        this.state = state;
        this.isLoading = state.status === "loading";
        this.clock = new Clock(state.draft?.frame_rate);
        this.ready = new Set([...(state.ready ?? []), ...this.#news]);
        this.failed = new Map((state.failed ?? []).map(({ key, message }) => [key, message]));
        this.damaged = state.damaged ?? [];
        this.emit("state", state, old);
    }

    #receive(message) {
        switch (message.type) {
            case "state":
                this.refresh();
                break;
            case "loading":
                this.isLoading = true;
                this.emit("loading");
                break;
            case "ready":
                for (const key of message.keys) {
                    this.ready.add(key);
                    this.#news.push(key);
                    this.failed.delete(key);
                }
                this.emit("ready", message.keys);
                break;
            case "failed":
                this.receiveFailure(message.key, message.message);
                break;
            case "damaged":
                this.damaged = message.messages;
                this.emit("damaged", message.messages);
                break;
            case "progress":
                this.emit("progress", message);
                break;
            case "export":
                this.emit("export", message.export);
                break;
        }
    }

    /** Notes that a part cannot be rendered. */
    receiveFailure(key, message) {
        this.failed.set(key, message);
        this.emit("failed", key, message);
    }
}
