import { h } from "../core/dom.js";
import { t } from "../core/texts.js";
import { makeDialog } from "./dialog.js";

/** A dialog with the keyboard shortcuts. */
export class HelpDialog {
    open() {
        if (!this.dialog) this.#make();
        if (!this.dialog.open) this.dialog.showModal();
    }

    #make() {
        const caps = (key) => key.split(/(?<=\w)\+/).map((part) => h("kbd", { textContent: t.key(part) }));
        const rows = this.table.map(([keys, words]) => h("div", {},
            h("dt", {}, keys.flatMap((key, index) => [index ? " " : "", ...caps(key)])),
            h("dd", { textContent: t(words) })));
        this.dialog = makeDialog("help", t("help.title"), h("dl", { class: "keys" }, rows), h("p", { class: "help", textContent: t("help.zoom") }));
    }
}
