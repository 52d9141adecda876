import { h } from "../core/dom.js";
import { t } from "../core/texts.js";
import { keep, kept } from "./kept.js";

/** Lines per minute at the slider's ends. */
const [slowest, fastest] = [4, 60];

/** The teleprompter: text over the picture, which scrolls while a take is recorded. */
export class Prompter {
    #offset = 0;
    #last = 0;
    #runs = false;

    /** @param stage the element that the text lies over. */
    constructor(stage) {
        this.text = h("textarea", {
            id: "record-prompt", rows: 4, value: kept("prompt", ""), placeholder: t("record.prompt.hint"), spellcheck: false,
            oninput: () => { keep("prompt", this.text.value); this.#show(); },
        });
        this.speed = h("input", {
            id: "record-prompt-speed", type: "range", min: slowest, max: fastest, step: 1, value: kept("prompt-speed", 18),
            oninput: () => keep("prompt-speed", this.speed.value),
        });
        const field = (key, input) => h("div", { class: "field" }, h("label", { for: input.id, textContent: t(key) }), input);
        this.element = h("details", {}, h("summary", { textContent: t("record.prompt") }),
            field("record.prompt.text", this.text), field("record.prompt.speed", this.speed));
        this.element.open = this.text.value !== "";
        this.words = h("p");
        // The text is in its field for those who do not see this one.
        this.over = h("div", { class: "prompter", "aria-hidden": "true", hidden: true }, this.words);
        stage.append(this.over);
    }

    /** @param phase of the recording. */
    take(phase, isShown) {
        if (phase === "recording" && !this.#runs) {
            this.#runs = true;
            this.#last = performance.now();
            requestAnimationFrame(() => this.#step());
        }
        if (phase !== "recording") this.#runs = false;
        if (phase !== "recording" && phase !== "paused") this.#offset = 0;
        this.isShown = isShown;
        this.#show();
    }

    #show() {
        this.over.hidden = !this.isShown || this.text.value.trim() === "";
        if (this.words.textContent !== this.text.value) this.words.textContent = this.text.value;
        this.words.style.transform = `translateY(${-this.#offset}px)`;
    }

    #step() {
        if (!this.#runs) return;
        const now = performance.now();
        const line = parseFloat(getComputedStyle(this.words).lineHeight) || 32;
        this.#offset = Math.min(this.words.offsetHeight, this.#offset + (now - this.#last) / 60_000 * Number(this.speed.value) * line);
        this.#last = now;
        this.words.style.transform = `translateY(${-this.#offset}px)`;
        requestAnimationFrame(() => this.#step());
    }
}
