/** An element with properties and children. Of the properties, `class`, `role`, `for` and those with a dash become attributes,
 * functions listeners (`onclick`), the rest the element's own. Children that are null or false are left out. */
export function h(name, properties = {}, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(properties)) {
        if (value === null || value === undefined) continue;
        if (key === "dataset") Object.assign(element.dataset, value);
        else if (key === "class" || key === "role" || key === "for" || key === "list" || key.includes("-")) {
            element.setAttribute(key, value);
        } else element[key] = value;
    }
    element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
    return element;
}

/** The one element that a selector names. */
export const find = (selector, root = document) => root.querySelector(selector);

/** Calls `act` once, after `delay` milliseconds in which nobody called it again. */
export function settled(delay, act) {
    let timer = 0;
    const later = (...values) => {
        clearTimeout(timer);
        timer = setTimeout(act, delay, ...values);
    };
    later.cancel = () => clearTimeout(timer);
    return later;
}

/** Calls `act` at most once in `interval` milliseconds, and at last with the last values. */
export function paced(interval, act) {
    let timer = 0;
    let last = 0;
    let waiting = null;
    const run = () => {
        timer = 0;
        last = performance.now();
        const values = waiting;
        waiting = null;
        act(...values);
    };
    return (...values) => {
        waiting = values;
        if (timer) return;
        const rest = last + interval - performance.now();
        if (rest <= 0) run();
        else timer = setTimeout(run, rest);
    };
}

/** Calls `act` before the next picture of the page, however often it was asked for until then. */
export function nextPicture(act) {
    let asked = 0;
    return () => {
        if (!asked) asked = requestAnimationFrame(() => { asked = 0; act(); });
    };
}

/** Puts text on the clipboard; without the right to it, by a selection as in former times. */
export async function copy(text) {
    try {
        await navigator.clipboard.writeText(text);
        return true;
    } catch {
        const area = h("textarea", { value: text, class: "unseen", "aria-hidden": "true" });
        const host = document.querySelector("dialog[open]") ?? document.body;
        host.append(area);
        area.select();
        const done = document.execCommand("copy");
        area.remove();
        return done;
    }
}
