import { find, h } from "./core/dom.js";
import { getJSON } from "./core/protocol.js";
import { fillTexts, language, t } from "./core/texts.js";

/** The queue page: renders and workers of the server on this machine, polled while the page is
 * visible. */

fillTexts(document);
document.title = `${t("farm.title")} – Cutroom`;

const renderColumns = ["id", "state", "done", "priority", "submitter", "name", "output"];
const workerColumns = ["node", "state", "busy", "cores", "memory", "tags", "does"];

async function show() {
    const none = find("#none");
    try {
        const queue = await getJSON("/api/queue");
        const isThere = queue.server !== null && Array.isArray(queue.renders);
        say(none, isThere ? "" : t("farm.none"));
        table(find("#renders"), isThere && renderRows(queue.renders), renderColumns, "farm.noRenders");
        table(find("#workers"), isThere && workerRows(queue.workers ?? []), workerColumns, "farm.noWorkers");
        find("#updated").textContent = t("farm.updated", { time: new Date().toLocaleTimeString(language) });
    } catch (error) {
        say(none, error.message);
    }
}

/** Changes the text of a live region only if it differs, so that it is not announced repeatedly. */
function say(element, text) {
    if (element.textContent !== text) element.textContent = text;
}

const renderRows = (renders) => renders.map(({ entry, stage, done, total, waits }) => [
    entry.id, entry.state, share(entry.state, stage, done, total, waits), entry.ticket.priority, entry.ticket.submitter,
    entry.ticket.name.split("/").at(-1), entry.ticket.output,
]);

function share(state, stage, done, total, waits) {
    if (state === "done") return t("farm.share", { value: 100, stage: "" }).trim();
    if (waits) return t("farm.waits", { reason: waits });
    return total > 0 ? t("farm.share", { value: Math.floor((100 * done) / total), stage: stage ?? "" }).trim() : "–";
}

const workerRows = (nodes) => nodes.map(({ name, state, slots, cores, memory, tags }) => {
    const busy = slots.filter(({ job }) => job);
    return [
        name ?? t("farm.server"), state, t("farm.busyValue", { count: busy.length, total: slots.length }), cores || "–",
        memory ? t("farm.memoryValue", { value: Math.round(memory / 1048576) }) : "–", tags?.join(", ") || "–",
        state === "lost" ? slots[0]?.reason ?? "" : busy.map(({ job }) => job).join(" "),
    ];
});

/** Shows rows as a table, if they have changed. */
function table(section, rows, columns, none) {
    section.hidden = !rows;
    if (!rows) return;
    const text = JSON.stringify(rows);
    if (section.dataset.shown === text) return;
    section.dataset.shown = text;
    find("div", section)?.remove();
    section.append(h("div", { class: "wide", tabIndex: 0, role: "group", "aria-labelledby": `${section.id}-title` }, rows.length === 0
        ? h("p", { class: "quiet", textContent: t(none) })
        : h("table", {},
            h("thead", {}, h("tr", {}, columns.map((name) => h("th", { scope: "col", textContent: t(`farm.${name}`) })))),
            h("tbody", {}, rows.map((row) => h("tr", {}, row.map((cell, index) => h("td", { textContent: cell, title: index > 4 ? cell : "" }))))))));
}

show();
setInterval(() => { if (!document.hidden) show(); }, 2000);
