import { h, settled } from "../core/dom.js";
import { notify } from "../core/announce.js";
import { address, post } from "../core/protocol.js";
import { t } from "../core/texts.js";
import { labelled, makeDialog } from "./dialog.js";

/** The number of pictures in the strip. */
const count = 10;

/** A dialog to choose the cover's frame from a strip, and to save it. */
export class CoverDialog {
    #frame = 0;

    constructor({ player, session }) {
        Object.assign(this, { player, session });
        this.picture = h("img", { class: "large", alt: "" });
        this.strip = h("div", { class: "strip", role: "group", "aria-label": t("cover.strip") });
        this.slider = h("input", { id: "cover-frame", type: "range", min: 0, step: 1, autofocus: true, oninput: () => this.#choose(Number(this.slider.value)) });
        this.output = h("input", {
            id: "cover-output", type: "text", value: "cover.png", required: true, autocomplete: "off", spellcheck: false,
        });
        this.overwrite = h("input", { id: "cover-overwrite", type: "checkbox" });
        this.error = h("p", { class: "error", role: "alert", hidden: true });
        this.load = settled(120, () => this.#load());
        const form = h("form", { onsubmit: (event) => this.#submit(event) },
            this.picture, this.strip,
            labelled(t("cover.frame"), this.slider),
            labelled(t("cover.output"), this.output, t("export.output.hint")),
            h("div", { class: "field check" }, this.overwrite, h("label", { for: "cover-overwrite", textContent: t("export.overwrite") })),
            this.error,
            h("div", { class: "acts" },
                h("button", { type: "button", textContent: t("cover.playhead"), onclick: () => this.#choose(player.frame) }),
                h("button", { type: "submit", class: "primary", textContent: t("cover.write") })));
        this.dialog = makeDialog("cover", t("cover.title"), form);
        // Cancel rendering of pictures that are not shown any more.
        this.dialog.addEventListener("close", () => {
            this.strip.replaceChildren();
            this.picture.removeAttribute("src");
        });
    }

    open() {
        const { draft } = this.session.state ?? {};
        if (!draft?.has_picture || this.dialog.open) return;
        this.slider.max = String(draft.frames - 1);
        this.error.hidden = true;
        const steps = Math.min(count, draft.frames);
        this.strip.replaceChildren(...Array.from({ length: steps }, (_, index) => {
            const frame = Math.floor(((index + 0.5) * draft.frames) / steps);
            const name = t("cover.at", { time: this.session.clock.timecode(frame) });
            return h("button", { type: "button", "aria-label": name, onclick: () => this.#choose(frame) },
                h("img", { alt: "", src: this.#address(frame, 160) }));
        }));
        this.dialog.showModal();
        this.#choose(this.player.frame);
    }

    #address(frame, width) {
        const { state } = this.session;
        return address(`/frame/${state.good_revision ?? state.revision}/${frame}.png`, { width: Math.min(width, state.draft.width) });
    }

    #choose(frame) {
        this.#frame = frame;
        const { clock } = this.session;
        this.slider.value = String(frame);
        this.slider.setAttribute("aria-valuetext", clock.timecode(frame));
        this.picture.alt = t("cover.at", { time: clock.timecode(frame) });
        this.load();
    }

    #load() {
        if (this.dialog.open) this.picture.src = this.#address(this.#frame, Math.ceil(560 * devicePixelRatio));
    }

    async #submit(event) {
        event.preventDefault();
        try {
            const { output } = await post("/api/cover", { frame: this.#frame, output: this.output.value.trim(), overwrite: this.overwrite.checked });
            this.dialog.close();
            notify(t("cover.written", { file: output ?? this.output.value }));
        } catch (error) {
            this.error.textContent = error.message;
            this.error.hidden = false;
        }
    }
}
