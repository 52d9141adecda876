import { h } from "../core/dom.js";
import { post } from "../core/protocol.js";
import { t } from "../core/texts.js";
import { choice, labelled, makeDialog } from "./dialog.js";
import { Exports } from "./exports.js";

const presets = ["ultrafast", "superfast", "veryfast", "faster", "fast", "medium", "slow", "slower", "veryslow"];

/** A dialog that renders to a file, with the options of `cutroom render`. */
export class ExportDialog {
    constructor({ player, session }) {
        Object.assign(this, { player, session });
        const usual = t("export.usual");
        const field = (id, more = {}) => h("input", { id: `export-${id}`, type: "text", autocomplete: "off", spellcheck: false, ...more });
        this.output = field("output", { required: true, autofocus: true, oninput: () => { this.isNamed = true; } });
        this.overwrite = field("overwrite", { type: "checkbox" });
        this.options = {
            codec: choice("export-codec", ["h264", "hevc", "vp9", "av1", "prores"], usual),
            quality: field("quality", { type: "number", step: "any", placeholder: usual }),
            bit_rate: field("bit-rate", { placeholder: usual, pattern: "[0-9.]+[kM]?" }),
            preset: choice("export-preset", presets, usual),
            profile: field("profile", { placeholder: usual }),
            audio_codec: choice("export-audio", ["aac", "opus", "mp3", "flac", "pcm_s16", "pcm_s24"], usual),
            scale: h("select", { id: "export-scale" },
                [1, 0.75, 0.5, 0.25].map((value) => h("option", { value, textContent: t("export.percent", { value: value * 100 }) }))),
        };
        this.part = h("select", { id: "export-part" },
            ["whole", "marks"].map((value) => h("option", { value, textContent: t(`export.part.${value}`) })));
        this.error = h("p", { class: "error", role: "alert", hidden: true });
        this.exports = new Exports(session);
        const { options } = this;
        this.form = h("form", { onsubmit: (event) => this.#submit(event) },
            labelled(t("export.output"), this.output, t("export.output.hint")),
            h("div", { class: "field check" }, this.overwrite, h("label", { for: this.overwrite.id, textContent: t("export.overwrite") })),
            h("div", { class: "columns" },
                labelled(t("export.part"), this.part),
                labelled(t("export.scale"), options.scale),
                labelled(t("export.codec"), options.codec),
                labelled(t("export.audio"), options.audio_codec)),
            h("details", {}, h("summary", { textContent: t("export.more") }),
                h("div", { class: "columns" },
                    labelled(t("export.quality"), options.quality, t("export.quality.hint")),
                    labelled(t("export.bitRate"), options.bit_rate, t("export.bitRate.hint")),
                    labelled(t("export.preset"), options.preset),
                    labelled(t("export.profile"), options.profile))),
            this.error,
            h("div", { class: "acts" }, h("button", { type: "submit", class: "primary", textContent: t("export.start") })));
        this.dialog = makeDialog("export", t("export.title"), this.form, this.exports.element);
    }

    open() {
        const { state } = this.session;
        if (!state?.draft || this.dialog.open) return;
        if (!this.isNamed) this.output.value = `${state.script.replace(/^.*\//, "").replace(/\.[^.]*$/, "")}.mp4`;
        this.part.value = this.player.marks.areSet ? "marks" : "whole";
        this.error.hidden = true;
        this.exports.load();
        this.dialog.showModal();
    }

    async #submit(event) {
        event.preventDefault();
        try {
            this.exports.take(await post("/api/exports", {
                output: this.output.value.trim(), overwrite: this.overwrite.checked, options: this.#chosen(),
            }));
            this.error.hidden = true;
        } catch (error) {
            this.error.textContent = error.message;
            this.error.hidden = false;
        }
    }

    /** Returns the options that the user has chosen. */
    #chosen() {
        const { marks, clock } = this.player;
        const values = Object.entries(this.options).map(([name, { value }]) => [name, value.trim()]).filter(([, value]) => value !== "");
        const options = Object.fromEntries(values.map(([name, value]) => [name, ["quality", "scale"].includes(name) ? Number(value) : value]));
        if (options.scale === 1) delete options.scale;
        if (this.part.value === "marks" && marks.areSet) {
            const exact = (frames) => Number(clock.seconds(frames).toFixed(6));
            options.range = `${exact(marks.start)},${exact(marks.end - marks.start)}`;
        }
        return options;
    }
}
