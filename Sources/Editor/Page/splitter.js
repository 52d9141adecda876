/** The bar above the timeline, which changes the timeline's height with the mouse or the arrow
 * keys. */
export function splitter(bar, below) {
    const least = 120;
    const most = () => Math.max(least, innerHeight - 260);
    const set = (height) => {
        const fitting = Math.round(Math.max(least, Math.min(most(), height)));
        document.documentElement.style.setProperty("--timeline-height", `${fitting}px`);
        bar.setAttribute("aria-valuenow", String(fitting));
        bar.setAttribute("aria-valuemax", String(most()));
    };
    bar.setAttribute("aria-valuemin", String(least));
    bar.setAttribute("aria-valuemax", String(most()));
    bar.setAttribute("aria-valuenow", String(below.clientHeight));
    bar.addEventListener("pointerdown", (event) => {
        event.preventDefault();
        bar.setPointerCapture(event.pointerId);
        const [start, height] = [event.clientY, below.clientHeight];
        const move = (moved) => set(height + start - moved.clientY);
        const end = () => {
            bar.removeEventListener("pointermove", move);
            for (const name of ["pointerup", "pointercancel"]) bar.removeEventListener(name, end);
        };
        bar.addEventListener("pointermove", move);
        for (const name of ["pointerup", "pointercancel"]) bar.addEventListener(name, end);
    });
    bar.addEventListener("keydown", (event) => {
        const step = { ArrowUp: 16, ArrowDown: -16 }[event.key];
        if (!step) return;
        event.preventDefault();
        event.stopPropagation();
        set(below.clientHeight + step);
    });
}
