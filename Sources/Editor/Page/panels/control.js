import { h } from "../core/dom.js";
import { icon } from "../core/icons.js";
import { t } from "../core/texts.js";

/** Creates the control for a parameter, `{ element, set }`: `set` shows a value, `changed` is
 * called with a value that the user chose. */
export function control(parameter, id, changed) {
    if (parameter.list || parameter.type === "list") return list(parameter, id, changed);
    return single(parameter, id, changed, `${id}-help`);
}

function single(parameter, id, changed, help) {
    const described = { id, "aria-describedby": parameter.help ? help : null };
    if (parameter.choices?.length) return choice(parameter, described, changed);
    switch (parameter.type) {
        case "boolean": return boolean(described, changed);
        case "integer":
        case "number": return number(parameter, described, changed);
        case "color": return color(parameter, described, changed);
        default: return text(parameter, described, changed);
    }
}

function choice({ choices }, described, changed) {
    const element = h("select", { ...described, onchange: () => changed(choices[element.selectedIndex]) },
        choices.map((value) => h("option", { textContent: String(value) })));
    return { element, set: (value) => { element.selectedIndex = choices.indexOf(value); } };
}

function boolean(described, changed) {
    const element = h("input", { ...described, type: "checkbox", class: "switch", onchange: () => changed(element.checked) });
    return { element, set: (value) => { element.checked = value === true; } };
}

/** Creates a number field, with a slider if it has both bounds. */
function number({ name, type, minimum, maximum }, described, changed) {
    const isBounded = Number.isFinite(minimum) && Number.isFinite(maximum);
    const step = type === "integer" ? 1 : "any";
    const bounds = { min: minimum ?? "", max: maximum ?? "" };
    const field = h("input", { ...described, type: "number", ...bounds, step, oninput: () => take(field, slider) });
    const fine = isBounded ? 10 ** Math.floor(Math.log10((maximum - minimum || 1) / 100)) : 1;
    const slider = isBounded
        ? h("input", { type: "range", ...bounds, step: type === "integer" ? 1 : fine, "aria-label": name, oninput: () => take(slider, field) })
        : null;
    const take = (from, to) => {
        if (from.value === "" || !from.checkValidity()) return;
        if (to) to.value = from.value;
        changed(Number(from.value));
    };
    const set = (value) => {
        field.value = value ?? "";
        if (slider) slider.value = value ?? minimum;
    };
    return { element: slider ? h("div", { class: "pair" }, slider, field) : field, set };
}

/** Creates a text field for a color, and the browser's color chooser. Choosing a color keeps the
 * alpha value. */
function color({ name }, described, changed) {
    const field = h("input", {
        ...described, type: "text", spellcheck: false, autocomplete: "off",
        onchange: () => {
            paint(field.value);
            changed(field.value);
        },
    });
    const chooser = h("input", {
        type: "color", "aria-label": t("parameters.chooser", { name }),
        oninput: () => {
            const alpha = /^#[\da-f]{8}$/i.test(field.value) ? field.value.slice(7) : "";
            field.value = chooser.value + alpha;
            changed(field.value);
        },
    });
    const paint = (value) => {
        const context = document.createElement("canvas").getContext("2d");
        context.fillStyle = value;
        if (/^#/.test(context.fillStyle)) chooser.value = context.fillStyle;
        else chooser.value = hex(context.fillStyle);
    };
    const set = (value) => {
        field.value = value ?? "";
        if (value) paint(value);
    };
    return { element: h("div", { class: "pair" }, chooser, field), set };
}

/** Returns the `#rrggbb` of `rgba(1, 2, 3, 0.5)`, the form in which a canvas returns translucent
 * colors. */
function hex(words) {
    return `#${(words.match(/\d+/g) ?? [0, 0, 0]).slice(0, 3).map((part) => Number(part).toString(16).padStart(2, "0")).join("")}`;
}

function text({ type }, described, changed) {
    const element = type === "path"
        ? h("input", {
            ...described, type: "text", list: "media-paths", spellcheck: false, autocomplete: "off", onchange: () => changed(element.value),
        })
        : h("input", { ...described, type: "text", autocomplete: "off", oninput: () => changed(element.value) });
    return { element, set: (value) => { element.value = value ?? ""; } };
}

/** Creates a list: a control for each item with a button to remove it, and a button to add one. */
function list(parameter, id, changed) {
    const one = { ...parameter, list: false, type: parameter.type === "list" ? parameter.items ?? "string" : parameter.type };
    let values = [];
    const entries = h("div", { class: "entries", role: "group", "aria-labelledby": `${id}-label` });
    const tell = () => changed(values.filter((value) => value !== null && value !== ""));
    const draw = () => {
        entries.replaceChildren(...values.map((value, index) => {
            const { element, set } = single({ ...one, name: `${parameter.name} ${index + 1}` }, index ? `${id}-${index}` : id, (changed) => {
                values[index] = changed;
                tell();
            }, `${id}-help`);
            set(value);
            const field = element.matches("input, select") ? element : element.querySelector("input:last-child");
            field.setAttribute("aria-label", `${parameter.name} ${index + 1}`);
            return h("div", { class: "pair" }, element, h("button", {
                type: "button", class: "tool small", "aria-label": t("parameters.removeItem", { name: parameter.name, number: index + 1 }),
                onclick: () => {
                    values.splice(index, 1);
                    draw();
                    tell();
                },
            }, icon("close")));
        }));
    };
    const more = h("button", {
        type: "button", class: "small", id: `${id}-more`, textContent: t("parameters.addItem"),
        "aria-label": t("parameters.addItemOf", { name: parameter.name }),
        onclick: () => {
            values.push(one.choices?.[0] ?? (one.type === "boolean" ? false : null));
            draw();
            entries.querySelector(".pair:last-child input, .pair:last-child select")?.focus();
        },
    });
    const set = (value) => {
        values = Array.isArray(value) ? [...value] : [];
        draw();
    };
    return { element: h("div", { class: "list" }, entries, more), set };
}
