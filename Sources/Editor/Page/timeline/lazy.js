/** Values that are fetched when they are first drawn: a few at a time, the most recent requests
 * first. The least recently used values are evicted first. Failed values are not requested
 * again. */
export class Lazy {
    #known = new Map();
    #queue = [];
    #running = 0;
    #timer = 0;

    /** @param {{
     *   fetch: (key: string, wish: object) => Promise, most: number, atOnce: number,
     *   arrived: () => void, drop?: (value) => void,
     * }} parts */
    constructor({ fetch, most, atOnce, arrived, drop = () => {} }) {
        Object.assign(this, { fetch, most, atOnce, arrived, drop });
    }

    /** Returns the value for a key; undefined if it is missing, and then it is fetched with
     * `wish`. */
    get(key, wish) {
        const found = this.#known.get(key);
        if (found !== undefined) {
            this.#known.delete(key);
            this.#known.set(key, found);
            return found.value;
        }
        if (wish) this.#ask(key, wish);
        return undefined;
    }

    clear() {
        for (const { value } of this.#known.values()) if (value) this.drop(value);
        this.#known.clear();
        this.#queue = [];
    }

    #ask(key, wish) {
        const index = this.#queue.findIndex((entry) => entry.key === key);
        if (index >= 0) this.#queue.splice(index, 1);
        this.#queue.push({ key, wish, time: performance.now() });
        // Delay the fetch: during fast scrolling most requests become obsolete.
        if (!this.#timer) this.#timer = setTimeout(() => { this.#timer = 0; this.#go(); }, 60);
    }

    async #go() {
        if (this.#running >= this.atOnce || !this.#queue.length) return;
        // Entries that the last picture did not request have been scrolled away.
        const last = this.#queue.at(-1).time;
        this.#queue = this.#queue.filter(({ time }) => time > last - 100);
        const { key, wish } = this.#queue.pop();
        const entry = { value: undefined };
        this.#known.set(key, entry);
        this.#running += 1;
        try {
            entry.value = await this.fetch(key, wish);
            this.arrived();
        } catch (error) {
            // The server is unavailable or busy: the value is requested again when it is drawn
            // again.
            if (!error.status || error.status >= 500) {
                this.#known.delete(key);
                setTimeout(this.arrived, 2000);
            }
        }
        this.#running -= 1;
        this.#forget();
        this.#go();
    }

    #forget() {
        while (this.#known.size > this.most) {
            const [key, { value }] = this.#known.entries().next().value;
            this.#known.delete(key);
            if (value) this.drop(value);
        }
    }
}
