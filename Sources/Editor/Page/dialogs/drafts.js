import { copy, h } from "../core/dom.js";
import { notify } from "../core/announce.js";
import { getJSON } from "../core/protocol.js";
import { language, t } from "../core/texts.js";
import { makeDialog } from "./dialog.js";

/** A dialog with recently opened drafts, also those of crashed editors, and the commands that
 * open them again. */
export class DraftsDialog {
    constructor() {
        this.list = h("ul", { class: "drafts" });
        this.none = h("p", { class: "quiet" });
        this.dialog = makeDialog("drafts", t("drafts.title"), this.list, this.none);
    }

    async open() {
        if (this.dialog.open) return;
        this.dialog.showModal();
        try {
            const { drafts } = await getJSON("/api/drafts");
            this.list.replaceChildren(...drafts.map((draft) => this.#entry(draft)));
            this.none.textContent = drafts.length ? t("drafts.hint") : t("drafts.none");
        } catch (error) {
            this.none.textContent = error.message;
        }
    }

    #entry({ script, opened, words = `cutroom edit ${script}` }) {
        const when = opened ? new Date(opened * 1000).toLocaleString(language, { dateStyle: "medium", timeStyle: "short" }) : "";
        return h("li", {}, h("button", {
            type: "button", class: "file", onclick: async () => notify((await copy(words)) ? t("said.copied", { text: words }) : words),
        }, h("span", { class: "text" }, h("span", { class: "name", textContent: script }), h("span", { class: "about", textContent: when }))));
    }
}
