import { h } from "../core/dom.js";
import { t } from "../core/texts.js";

/** The timeline's objects for assistive technology: a list box over the canvas, which contains
 * only the chosen entry. */
export class Objects {
    #all = [];
    #rows = [];
    #index = -1;

    /** @param {{
     *   chosen: (item: object | null) => void, opened: (item: object) => void,
     *   describe: (item: object) => string,
     * }} listener */
    constructor(root, listener) {
        this.listener = listener;
        this.option = h("div", { role: "option", id: "timeline-object", "aria-selected": "false", textContent: t("timeline.none") });
        this.root = root;
        root.append(this.option);
        root.addEventListener("keydown", (event) => this.#key(event));
    }

    load(rows) {
        this.#rows = rows;
        this.#all = rows.flatMap((row) => [...row.items, ...row.mixes].sort((one, other) => one.start_frame - other.start_frame)
            .map((item) => ({ item, row })));
    }

    /** Selects an object that was chosen elsewhere. */
    select(id) {
        this.#index = this.#all.findIndex(({ item }) => item.id === id);
        const found = this.#all[this.#index];
        this.option.textContent = found ? `${found.row.name}: ${this.listener.describe(found.item)}` : t("timeline.none");
        this.option.setAttribute("aria-selected", String(Boolean(found)));
        this.option.setAttribute("aria-setsize", String(Math.max(1, this.#all.length)));
        this.option.setAttribute("aria-posinset", String(Math.max(1, this.#index + 1)));
        if (found) this.root.setAttribute("aria-activedescendant", this.option.id);
        else this.root.removeAttribute("aria-activedescendant");
    }

    #key(event) {
        const found = this.#all[this.#index];
        const act = {
            ArrowRight: () => this.#choose(Math.min(this.#all.length - 1, this.#index + 1)),
            ArrowLeft: () => this.#choose(Math.max(0, this.#index - 1)),
            ArrowDown: () => this.#chooseRow(1),
            ArrowUp: () => this.#chooseRow(-1),
            Home: () => this.#choose(0),
            End: () => this.#choose(this.#all.length - 1),
            Enter: () => found && this.listener.opened(found.item),
            Escape: () => this.listener.chosen(null),
        }[event.key];
        if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
        event.preventDefault();
        act();
    }

    #choose(index) {
        const found = this.#all[index];
        if (found) this.listener.chosen(found.item);
    }

    /** Chooses the nearest object of the next row. */
    #chooseRow(step) {
        const found = this.#all[this.#index];
        if (!found) return this.#choose(0);
        const row = this.#rows[this.#rows.indexOf(found.row) + step];
        const distance = (item) => Math.abs(item.start_frame - found.item.start_frame);
        const nearest = row?.items.reduce((best, item) => (best && distance(best) <= distance(item) ? best : item), null);
        if (nearest) this.listener.chosen(nearest);
    }
}
