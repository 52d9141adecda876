/** An object that emits events by name. */
export class Emitter {
    #listeners = new Map();

    /** Calls `listener` at each event of the name. Returns a function that removes the listener. */
    on(name, listener) {
        const all = this.#listeners.get(name) ?? new Set();
        this.#listeners.set(name, all.add(listener));
        return () => all.delete(listener);
    }

    emit(name, ...values) {
        for (const listener of this.#listeners.get(name) ?? []) listener(...values);
    }
}
