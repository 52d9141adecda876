import { h } from "../core/dom.js";
import { icon } from "../core/icons.js";
import { t } from "../core/texts.js";

/** Creates a dialog with a title and a close button. It is created once, and shows `content`. */
export function makeDialog(id, title, ...content) {
    const dialog = h("dialog", { id, "aria-labelledby": `${id}-title` },
        h("header", {},
            h("h2", { id: `${id}-title`, textContent: title }),
            h("button", {
                type: "button", class: "tool", "aria-label": t("dialog.close"), title: t("dialog.close"), onclick: () => dialog.close(),
            }, icon("close"))),
        h("div", { class: "content" }, ...content));
    // A click outside closes the dialog, like Escape.
    dialog.addEventListener("mousedown", (event) => { if (event.target === dialog) dialog.close(); });
    document.body.append(dialog);
    return dialog;
}

/** Creates a field with its label. */
export function labelled(text, field, hint) {
    const id = field.id;
    if (hint) field.setAttribute("aria-describedby", `${id}-hint`);
    return h("div", { class: "field" }, h("label", { for: id, textContent: text }), field,
        hint ? h("p", { class: "help", id: `${id}-hint`, textContent: hint }) : null);
}

/** Creates a list of choices. The first, empty one stands for the default of the script or the
 * file type. */
export function choice(id, values, usual) {
    return h("select", { id }, h("option", { value: "", textContent: usual }), values.map((value) => h("option", { value, textContent: value })));
}
