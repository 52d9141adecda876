/** Creates an element with properties and children. The properties `class`, `role`, `for` and
 * those with a dash become attributes, functions become listeners (`onclick`), all others are
 * set on the element. Children that are null or false are left out. */
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

/** Returns the element for a selector. */
export const find = (selector, root = document) => root.querySelector(selector);

/** Debounces `act`: calls it once, after `delay` milliseconds without another call. */
export function settled(delay, act) {
    let timer = 0;
    const later = (...values) => {
        clearTimeout(timer);
        timer = setTimeout(act, delay, ...values);
    };
    later.cancel = () => clearTimeout(timer);
    return later;
}

/** Throttles `act`: calls it at most once in `interval` milliseconds, and finally with the last
 * arguments. */
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

/** Calls `act` once before the next animation frame, however often it is requested. */
export function nextPicture(act) {
    let asked = 0;
    return () => {
        if (!asked) asked = requestAnimationFrame(() => { asked = 0; act(); });
    };
}

/** Copies text to the clipboard; without permission, through a selection. */
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
