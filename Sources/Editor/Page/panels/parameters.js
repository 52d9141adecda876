import { copy, h, settled } from "../core/dom.js";
import { icon } from "../core/icons.js";
import { notify } from "../core/announce.js";
import { getJSON, post } from "../core/protocol.js";
import { t } from "../core/texts.js";
import { control } from "./control.js";

/** The script's parameters as controls: a change runs the script again. */
export class Parameters {
    #controls = new Map();
    #changed = {};
    #signature = "";

    constructor(root, { session }) {
        Object.assign(this, { root, session });
        this.send = settled(150, () => this.#send());
        this.list = h("div", { class: "parameters" });
        this.error = h("p", { class: "error", role: "alert", hidden: true });
        const button = (name, act) => h("button", {
            type: "button", textContent: t(`parameters.${name}`), title: t(`parameters.${name}.hint`), onclick: act,
        });
        this.bar = h("div", { class: "bar" }, button("words", () => this.#words()), button("save", () => this.#save()));
        this.none = h("p", { class: "quiet", textContent: t("parameters.none") });
        root.append(this.error, this.list, this.bar, this.none);
        session.on("state", (state) => this.#load(state.parameters ?? []));
    }

    #load(parameters) {
        this.bar.hidden = parameters.length === 0;
        this.none.hidden = parameters.length > 0;
        const signature = JSON.stringify(parameters.map(({ value, ...declared }) => declared));
        if (signature !== this.#signature) {
            this.#signature = signature;
            this.#controls = new Map(parameters.map((parameter) => [parameter.name, this.#entry(parameter)]));
            this.list.replaceChildren(...[...this.#controls.values()].map((entry) => entry.element));
        }
        for (const parameter of parameters) {
            const entry = this.#controls.get(parameter.name);
            // What the user is typing is newer than the value that the script has received.
            if (!(parameter.name in this.#changed) && !entry.element.contains(document.activeElement)) entry.set(parameter.value);
            entry.reset.hidden = JSON.stringify(parameter.value) === JSON.stringify(parameter.default);
        }
    }

    #entry(parameter) {
        const id = `parameter-${parameter.name}`;
        const { element, set } = control(parameter, id, (value) => this.#change(parameter.name, value));
        const reset = h("button", {
            type: "button", class: "tool small", title: t("parameters.reset"), "aria-label": t("parameters.resetOf", { name: parameter.name }),
            onclick: () => {
                this.#change(parameter.name, null);
                set(parameter.default);
            },
        }, icon("undo"));
        const help = parameter.help ? h("p", { class: "help", id: `${id}-help`, textContent: parameter.help }) : null;
        const label = h("label", { for: id, id: `${id}-label`, textContent: parameter.name });
        return { set, reset, element: h("div", { class: "parameter" }, h("div", { class: "row" }, label, reset), element, help) };
    }

    #change(name, value) {
        this.#changed[name] = value;
        this.send();
    }

    async #send() {
        const values = this.#changed;
        this.#changed = {};
        try {
            await post("/api/parameters", { values });
            this.error.hidden = true;
        } catch (error) {
            this.error.textContent = error.message;
            this.error.hidden = false;
        }
    }

    async #words() {
        try {
            const { words } = await getJSON("/api/parameters/words");
            notify(words && (await copy(words)) ? t("said.copied", { text: words }) : t("parameters.noWords"));
        } catch (error) {
            notify(error.message);
        }
    }

    async #save() {
        try {
            const { file } = await post("/api/parameters/save");
            notify(t("parameters.saved", { file: file ?? `${this.session.state.script}.params.json` }));
        } catch (error) {
            notify(error.message);
        }
    }
}
