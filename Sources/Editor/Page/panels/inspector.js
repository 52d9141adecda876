import { h, settled } from "../core/dom.js";
import { shortTime } from "../core/clock.js";
import { address, getJSON } from "../core/protocol.js";
import { t } from "../core/texts.js";
import { itemPlace, placeButton } from "./script.js";

/** Shows the selected object with its values at the playhead, or what makes the picture there if
 * nothing is selected. */
export class Inspector {
    #why = null;
    #abort = null;

    constructor(root, { player, session, timeline }) {
        Object.assign(this, { root, player, session, timeline });
        this.ask = settled(150, () => this.#ask());
        player.on("frame", () => this.ask());
        session.on("state", () => {
            this.#ask();
            this.#show();
        });
        timeline.on("selected", () => this.#show());
        player.on("playing", () => this.ask());
    }

    async #ask() {
        const { session, player } = this;
        if (!session.state?.draft || this.root.hidden) return;
        this.#abort?.abort();
        const abort = new AbortController();
        this.#abort = abort;
        try {
            this.#why = await getJSON(address("/api/why", { frame: player.frame }), abort.signal);
            this.#show();
        } catch {
            // The playhead has moved on, or the server is unavailable: keep the content until the
            // next response.
        }
    }

    #show() {
        const { state } = this.session;
        if (!state?.draft) return;
        const item = this.timeline.selected;
        const controls = () => [...this.root.querySelectorAll("button")];
        const focused = controls().indexOf(document.activeElement);
        this.root.replaceChildren(...(item ? this.#object(state, item) : this.#picture(state)));
        // Keep the keyboard focus when the playhead moves.
        if (focused >= 0) (controls()[focused] ?? controls().at(-1))?.focus();
    }

    #object(state, item) {
        const { clock } = this.session;
        const end = item.start_frame + item.frames;
        const isPassing = item.speed !== undefined && item.speed !== null && item.speed !== 1;
        const found = [
            [t("object.time"), `${clock.timecode(item.start_frame)} – ${clock.timecode(end)}`],
            [t("object.length"), t("object.lengthValue", { frames: item.frames, seconds: clock.seconds(item.frames).toFixed(2) })],
            item.file && [t("object.file"), item.file.split("/").at(-1), item.file],
            item.file && item.source_duration > 0 && [
                t("object.source"),
                `${shortTime(item.source_start, 2)} – ${shortTime(item.source_start + item.source_duration, 2)}`],
            isPassing && [t("object.speed"), t("transport.times", { rate: Number(item.speed.toFixed(3)) })],
        ];
        const act = [...(this.#why?.clips ?? []), ...(this.#why?.effects ?? [])].find((each) => each.item === item.id);
        return [
            h("h2", {}, h("span", { class: `swatch ${item.kind}` }), item.label),
            h("p", { class: "kind", textContent: t(`kind.${item.kind}`) }),
            facts(found),
            item.line ? h("p", {}, placeButton(this.session, itemPlace(state, item))) : null,
            h("h3", { textContent: t("object.values", { time: clock.timecode(this.player.frame) }) }),
            act ? this.#values(act) : h("p", { class: "quiet", textContent: t("object.elsewhere") }),
        ].filter((part) => part !== null);
    }

    #picture(state) {
        const { clock } = this.session;
        const why = this.#why;
        const found = why ? [...(why.clips ?? []), ...(why.effects ?? [])] : [];
        return [
            h("h2", { textContent: t("why.title", { time: clock.timecode(why?.frame ?? this.player.frame) }) }),
            h("p", { class: "quiet", textContent: found.length ? t("why.hint") : t("why.nothing") }),
            h("ol", { class: "why" }, found.map((act) => h("li", {},
                h("div", { class: "row" },
                    h("button", {
                        type: "button", class: "link", textContent: act.file?.split("/").at(-1) ?? act.label ?? act.name,
                        onclick: () => this.#select(act.item),
                    }),
                    placeButton(this.session, itemPlace(state, act))),
                this.#values(act)))),
        ];
    }

    #select(id) {
        const item = this.timeline.rows.flatMap((row) => [...row.items, ...row.mixes]).find((each) => each.id === id);
        if (item) this.timeline.select(item, true);
    }

    #values(act) {
        const found = [
            act.source_time !== undefined && act.source_time !== null && [t("why.sourceTime"), shortTime(act.source_time, 3)],
            act.time !== undefined && act.time !== null && [t("why.time"), shortTime(act.time, 3)],
            ...Object.entries(act.values ?? {}).map(([name, value]) => [name, valueText(value)]),
        ];
        return facts(found);
    }
}

/** Creates a list of names and values; false ones are left out. The third element of an entry is
 * a longer text, shown on demand. */
function facts(entries) {
    return h("dl", { class: "facts" }, entries.filter(Boolean).map(([name, value, whole]) => h("div", {},
        h("dt", { textContent: name }), h("dd", { textContent: value, title: whole ?? value }))));
}

/** Formats a value of the draft concisely. */
function valueText(value) {
    if (typeof value === "number") return String(Number(value.toFixed(4)));
    if (Array.isArray(value)) return value.map(valueText).join(", ");
    if (value && typeof value === "object") return Object.entries(value).map(([name, each]) => `${name} ${valueText(each)}`).join(", ");
    return String(value);
}
