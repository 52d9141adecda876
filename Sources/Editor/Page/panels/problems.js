import { find, h } from "../core/dom.js";
import { icon } from "../core/icons.js";
import { alarm, announce } from "../core/announce.js";
import { t } from "../core/texts.js";
import { placeButton } from "./script.js";

/** Shows the script's errors over the last valid picture, warnings on demand, and parts that
 * cannot be rendered. */
export class Problems {
    #isOpen = false;
    #said = "";
    #hadFailures = false;

    constructor(root, button, session) {
        Object.assign(this, { root, button, session });
        button.addEventListener("click", () => {
            this.#isOpen = !this.#isOpen;
            this.#show();
        });
        session.on("state", () => this.#show());
        session.on("failed", () => this.#show());
        session.on("damaged", () => this.#show());
        session.on("ready", () => { if (this.#hadFailures) this.#show(); });
    }

    #show() {
        const { state, failed, damaged } = this.session;
        if (!state) return;
        const errors = state.status === "broken" ? state.problems ?? [] : [];
        const warnings = state.warnings ?? [];
        const failures = [...new Set(failed.values())].map((message) => ({ message }));
        this.#hadFailures = failures.length > 0;
        const quiet = [...failures, ...damaged.map((message) => ({ message })), ...warnings];
        this.button.hidden = quiet.length === 0;
        this.button.setAttribute("aria-expanded", String(this.#isOpen && quiet.length > 0));
        this.button.replaceChildren(icon("alert"), String(quiet.length));
        this.button.setAttribute("aria-label", t("problems.quiet", { count: quiet.length }));
        const shown = [
            ...errors.map((problem) => this.#line(problem, "error")),
            ...(this.#isOpen ? quiet.map((problem) => this.#line(problem, "warning")) : []),
        ];
        this.root.hidden = shown.length === 0;
        find("ul", this.root).replaceChildren(...shown);
        find("h2", this.root).textContent = errors.length
            ? t("problems.title", { count: errors.length }) : t("problems.quiet", { count: quiet.length });
        this.root.dataset.kind = errors.length ? "error" : "warning";
        this.#say(errors);
    }

    #say(errors) {
        const words = errors.map((problem) => this.#words(problem)).join(" ");
        if (words === this.#said) return;
        if (words) alarm(words);
        else announce(t("problems.gone"));
        this.#said = words;
    }

    #words({ object, message }) { return object && !message.includes(object) ? `${object}: ${message}` : message; }

    #line(problem, kind) {
        return h("li", { class: kind }, h("span", { textContent: this.#words(problem) }), placeButton(this.session, problem));
    }
}
