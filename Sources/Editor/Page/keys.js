import { find } from "./core/dom.js";

/** The shortcuts, as in other editing programs. Each is `[keys, key in texts.js, action]`; a key
 * is `event.key` with its modifiers as a prefix. */
export function keyTable({ player, transport, timeline, viewer, dialogs, recorder, showTab }) {
    const second = () => Math.round(player.clock.rate);
    let holdsK = false;
    addEventListener("keyup", (event) => { if (event.key === "k") holdsK = false; });
    addEventListener("blur", () => { holdsK = false; });
    const shuttle = (isForward) => {
        if (holdsK) player.step(isForward ? 1 : -1);
        else player.shuttle(isForward);
    };
    // The first time, the tab connects.
    const record = (act) => () => {
        showTab("tab-record");
        act();
    };
    return [
        [[" "], "keys.play", () => player.toggle()],
        [["j"], "keys.back", () => shuttle(false)],
        [["k"], "keys.stop", () => { holdsK = true; player.pause(); }],
        [["l"], "keys.forward", () => shuttle(true)],
        [["ArrowLeft", ","], "keys.previous", () => player.step(-1)],
        [["ArrowRight", "."], "keys.next", () => player.step(1)],
        [["Shift+ArrowLeft"], "keys.secondBack", () => player.step(-second())],
        [["Shift+ArrowRight"], "keys.secondOn", () => player.step(second())],
        [["ArrowUp"], "keys.editBefore", () => player.step(timeline.editBefore(player.frame) - player.frame)],
        [["ArrowDown"], "keys.editAfter", () => player.step(timeline.editAfter(player.frame) - player.frame)],
        [["Home"], "keys.start", () => player.seek(0)],
        [["End"], "keys.end", () => player.seek(player.lastFrame)],
        [["i"], "keys.in", () => transport.mark("in")],
        [["o"], "keys.out", () => transport.mark("out")],
        [["Shift+I"], "keys.toIn", () => player.seek(player.marks.start)],
        [["Shift+O"], "keys.toOut", () => player.seek(player.marks.end - 1)],
        [["x"], "keys.clear", () => transport.mark("clear")],
        [["r"], "keys.repeat", () => transport.toggleRepeat()],
        [["m"], "keys.mute", () => player.toggleMute()],
        [["f"], "keys.full", () => transport.toggleFullScreen()],
        [["z"], "keys.scaling", () => {
            const all = ["fit", "actual", "fill"];
            transport.scaling.value = all[(all.indexOf(viewer.scaling) + 1) % all.length];
            viewer.setScaling(transport.scaling.value);
        }],
        [["+", "="], "keys.zoomIn", () => timeline.zoom(1.5)],
        [["-"], "keys.zoomOut", () => timeline.zoom(1 / 1.5)],
        [["\\", "0"], "keys.fit", () => timeline.fit()],
        [["Escape"], "keys.deselect", () => timeline.select(null)],
        [["Shift+R"], "keys.record", record(() => recorder.toggle())],
        [["Shift+P"], "keys.pauseTake", record(() => recorder.pause())],
        [["Shift+D"], "keys.discardTake", record(() => recorder.discardLast())],
        [["Shift+U"], "keys.undoDiscard", record(() => recorder.undo())],
        [["e"], "keys.export", () => dialogs.export.open()],
        [["c"], "keys.cover", () => dialogs.cover.open()],
        [["?"], "keys.help", () => dialogs.help.open()],
    ];
}

/** Handles shortcuts for the whole page, except where a control needs the key itself. */
export function listen(table) {
    const acts = new Map(table.flatMap(([keys, , act]) => keys.map((key) => [key, act])));
    addEventListener("keydown", (event) => {
        if (event.ctrlKey || event.metaKey || event.defaultPrevented || find("dialog[open]")) return;
        const { key } = event;
        const isSymbol = key.length === 1 && !/[a-z]/i.test(key);
        const modifiers = (event.altKey ? "Alt+" : "") + (event.shiftKey && !isSymbol ? "Shift+" : "");
        const name = key.length === 1 && !event.shiftKey ? key.toLowerCase() : key;
        const act = acts.get(modifiers + name);
        if (!act || needs(event.target, key)) return;
        event.preventDefault();
        act();
    });
}

/** Returns whether a control uses a key itself. */
function needs(element, key) {
    if (!(element instanceof Element)) return false;
    if (element.closest("textarea, [contenteditable]")) return true;
    const input = element.closest("input, select");
    if (input) {
        const isSlider = input.type === "range";
        if (input.type === "checkbox") return key === " ";
        return !isSlider || /^(Arrow|Home|End)/.test(key);
    }
    if (element.closest("button, a, summary") && (key === " " || key === "Enter")) return true;
    return element.closest("[role=tablist], [role=listbox], [role=separator], [role=grid]") !== null && /^(Arrow|Home|End| )/.test(key);
}
