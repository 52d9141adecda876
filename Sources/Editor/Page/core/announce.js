import { find } from "./dom.js";

/** Announces a change, or the effect of a key, to screen readers. */
export function announce(text) { say("#said", text); }

/** Announces an alert immediately. */
export function alarm(text) { say("#alarmed", text); }

function say(selector, text) {
    const region = find(selector);
    // A repeated text must be announced, too.
    region.textContent = region.textContent === text ? `${text}\u00a0` : text;
}

let fading = 0;

/** Shows a line for some seconds, and announces it. */
export function notify(text) {
    const line = find("#notice");
    line.textContent = text;
    line.hidden = false;
    announce(text);
    clearTimeout(fading);
    fading = setTimeout(() => { line.hidden = true; }, 5000);
}
