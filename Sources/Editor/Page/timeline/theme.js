/** Returns the colors of the style sheet, for drawing on a canvas. */
export function theme() {
    const style = getComputedStyle(document.documentElement);
    const color = (name) => style.getPropertyValue(`--${name}`).trim();
    const kind = (name) => ({ fill: color(`${name}-fill`), text: color(`${name}-text`), wave: color(`${name}-wave`), veil: color("veil") });
    return {
        sheet: color("sheet"), row: color("row"), shade: color("shade"), selection: color("selection"), accent: color("accent"),
        mix: color("mix"), mixLine: color("mix-line"),
        ruler: color("panel"), rulerText: color("quiet"), tick: color("tick"), faintTick: color("faint-tick"), loop: color("loop"),
        rendered: color("rendered"), unrendered: color("unrendered"), buffered: color("buffered"), failed: color("failed"),
        font: `11px ${color("sans")}`, rulerFont: `10px ${color("sans")}`,
        kinds: {
            clip: kind("clip"), layer: kind("layer"), audio: kind("audio"), effect: kind("effect"), title: kind("title"),
            sticker: kind("layer"), subtitles: kind("title"),
        },
    };
}

/** Calls `changed` when the color scheme or the screen resolution changes. */
export function onThemeChange(changed) {
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed);
}
