import { find, h } from "../core/dom.js";
import { shortTime } from "../core/clock.js";
import { notify } from "../core/announce.js";
import { getJSON, post } from "../core/protocol.js";
import { t } from "../core/texts.js";

/** The exports of this editor: the progress of each, a button to cancel it, and the file. */
export class Exports {
    #known = new Map();

    constructor(session) {
        this.list = h("ul", { class: "exports" });
        this.element = h("section", { "aria-label": t("export.list"), hidden: true }, h("h3", { textContent: t("export.list") }), this.list);
        this.chip = find("#exporting");
        session.on("export", (state) => this.take(state));
        session.on("connected", (isThere) => { if (isThere) this.load(); });
    }

    async load() {
        try {
            const { exports } = await getJSON("/api/exports");
            for (const state of exports) this.take(state);
        } catch {
            // The page reports the lost server elsewhere.
        }
    }

    /** Shows an export's state. */
    take(state) {
        const known = this.#known.get(state.id) ?? this.#add(state);
        const wasRunning = known.state === "running";
        known.state = state.state;
        this.element.hidden = false;
        known.name.textContent = state.output.split("/").at(-1);
        known.name.title = state.output;
        const share = state.total > 0 ? state.done / state.total : 0;
        known.progress.value = state.state === "done" ? 1 : share;
        known.progress.hidden = state.state !== "running";
        known.words.textContent = words(state, share);
        known.cancel.hidden = state.state !== "running";
        known.file.hidden = state.state !== "done";
        known.entry.dataset.state = state.state;
        if (wasRunning && state.state !== "running") {
            notify(t(`export.ended.${state.state}`, { file: known.name.textContent, message: state.message ?? "" }));
        }
        this.#summarise();
    }

    #add(state) {
        const name = h("span", { class: "name" });
        const progress = h("progress", { max: 1, value: 0, "aria-label": t("export.progress", { file: state.output.split("/").at(-1) }) });
        const said = h("p", { class: "help" });
        const cancel = h("button", { type: "button", textContent: t("export.cancel"), onclick: () => this.#cancel(state.id) });
        const file = h("a", { class: "button", href: `/api/exports/${state.id}/file`, download: "", textContent: t("export.file") });
        const entry = h("li", {}, h("div", { class: "row" }, name, cancel, file), progress, said);
        this.list.prepend(entry);
        const known = { name, progress, words: said, cancel, file, entry, state: state.state };
        this.#known.set(state.id, known);
        return known;
    }

    async #cancel(id) {
        try {
            await post(`/api/exports/${id}/cancel`);
        } catch (error) {
            notify(error.message);
        }
    }

    /** Shows the progress of the newest running export in the page's header. */
    #summarise() {
        const running = [...this.#known.values()].filter(({ state }) => state === "running").at(-1);
        this.chip.hidden = !running;
        if (running) this.chip.textContent = t("export.running", { value: Math.round(running.progress.value * 100) });
    }
}

function words(state, share) {
    if (state.state !== "running") return state.message ?? t(`export.state.${state.state}`);
    const left = state.seconds_left === null || state.seconds_left === undefined ? "" : t("export.left", { time: shortTime(state.seconds_left) });
    return [t("export.stage", { stage: state.stage ?? "", value: Math.round(share * 100) }), left].filter(Boolean).join(" · ");
}
