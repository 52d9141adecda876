import { h } from "../core/dom.js";
import { icon } from "../core/icons.js";
import { notify } from "../core/announce.js";
import { post } from "../core/protocol.js";
import { t } from "../core/texts.js";

/** Opens a place of the script in the text editor that the server knows, else through Visual
 * Studio Code's URL scheme. */
export async function openPlace(session, { file, line }) {
    if (!session.state?.editor) {
        location.href = `vscode://file${file}:${line ?? 1}`;
        return;
    }
    try {
        await post("/api/open", { file, line: line ?? 1 });
    } catch (error) {
        notify(error.message);
    }
}

/** Formats a place in a script. */
export const placeText = ({ file, line }) => `${(file ?? "").split("/").at(-1)}${line ? `:${line}` : ""}`;

/** Creates a button that opens a place of a script. */
export function placeButton(session, place) {
    if (!place.file) return null;
    return h("button", {
        type: "button", class: "place", title: t("script.open.hint"), onclick: () => openPlace(session, place),
        "aria-label": t("script.open", { place: placeText(place) }),
    }, icon("open"), placeText(place));
}

/** Returns the absolute path of the script that made an item: scripts are named like the main
 * script, relative to the folder where the editor was started. */
export function itemPlace(state, item) {
    const name = item.script ?? state.script;
    const folder = state.path.endsWith(state.script) ? state.path.slice(0, -state.script.length) : "";
    return { file: name.startsWith("/") ? name : folder + name, line: item.line };
}
