/** Creates tabs by the WAI-ARIA pattern: arrow keys switch tabs, Tab moves into the panel. */
export function makeTabs(list, changed = () => {}) {
    const tabs = [...list.querySelectorAll("[role=tab]")];
    const show = (chosen, isFocused) => {
        for (const tab of tabs) {
            const isChosen = tab === chosen;
            tab.setAttribute("aria-selected", String(isChosen));
            tab.tabIndex = isChosen ? 0 : -1;
            document.getElementById(tab.getAttribute("aria-controls")).hidden = !isChosen;
        }
        if (isFocused) chosen.focus();
        changed(chosen.id);
    };
    for (const tab of tabs) tab.addEventListener("click", () => show(tab));
    list.addEventListener("keydown", (event) => {
        const index = tabs.indexOf(document.activeElement);
        const next = {
            ArrowRight: (index + 1) % tabs.length, ArrowLeft: (index + tabs.length - 1) % tabs.length, Home: 0, End: tabs.length - 1,
        }[event.key];
        if (next === undefined || index < 0) return;
        event.preventDefault();
        show(tabs[next], true);
    });
    return (id) => show(document.getElementById(id));
}
