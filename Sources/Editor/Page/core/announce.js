import { find } from "./dom.js";

/** Says something to who listens to the page: what has changed by itself, or what a key has done. */
export function announce(text) { say("#said", text); }

/** Says at once what must not be missed. */
export function alarm(text) { say("#alarmed", text); }

function say(selector, text) {
    const region = find(selector);
    // The same words again are an event, too.
    region.textContent = region.textContent === text ? `${text}\u00a0` : text;
}

let fading = 0;

/** Shows a line for some seconds, and says it. */
export function notify(text) {
    const line = find("#notice");
    line.textContent = text;
    line.hidden = false;
    announce(text);
    clearTimeout(fading);
    fading = setTimeout(() => { line.hidden = true; }, 5000);
}
