/** Somebody who tells others of what happens, by name. */
export class Emitter {
    #listeners = new Map();

    /** Calls `listener` at each event of the name; the answer ends that. */
    on(name, listener) {
        const all = this.#listeners.get(name) ?? new Set();
        this.#listeners.set(name, all.add(listener));
        return () => all.delete(listener);
    }

    emit(name, ...values) {
        for (const listener of this.#listeners.get(name) ?? []) listener(...values);
    }
}
