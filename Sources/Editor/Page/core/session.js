import { Clock } from "./clock.js";
import { Emitter } from "./emitter.js";
import { getJSON, Line } from "./protocol.js";

/** The server's information about the script: its last state, the rendered parts and the current
 * activity.
 *
 * Events: `state` (new, old), `ready` (keys), `failed` (key, message), `damaged` (messages),
 * `loading`, `progress` (message), `export` (its state), `connected` (whether), `refused`. */
export class Session extends Emitter {
    state = null;
    clock = new Clock();
    /** The keys of parts and pieces of sound that can be fetched. */
    ready = new Set();
    /** The keys of parts and sound that cannot be rendered, with the reasons. */
    failed = new Map();
    /** The damage of the media in what is rendered so far. */
    damaged = [];
    isLoading = true;
    #fetching = false;
    #again = false;
    /** Keys received while a state was being fetched, which may be older than they are. */
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

    /** Fetches the state; if it is requested again meanwhile, fetches it once more afterwards. */
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
                // The WebSocket reports a lost server, and refreshes after reconnecting. Another
                // server may have its port.
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

    /** Records that a part cannot be rendered. */
    receiveFailure(key, message) {
        this.failed.set(key, message);
        this.emit("failed", key, message);
    }
}
