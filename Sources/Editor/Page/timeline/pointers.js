/** Mouse, pen and touch input on the timeline. */
export class Pointers {
    isDragging = false;
    #pinch = 0;

    constructor(timeline, player) {
        Object.assign(this, { timeline, player });
        this.#ruler(timeline.slider);
        this.#sheet(timeline.scroller);
        for (const element of [timeline.slider, timeline.scroller]) {
            element.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
        }
    }

    /** The ruler moves the playhead; near a mark, in its upper half, the mark. */
    #ruler(ruler) {
        let drag = null;
        const x = (event) => event.clientX - ruler.getBoundingClientRect().left;
        ruler.addEventListener("pointerdown", (event) => {
            if (event.button !== 0) return;
            event.preventDefault();
            ruler.setPointerCapture(event.pointerId);
            drag = this.#mark(x(event), event.clientY - ruler.getBoundingClientRect().top < ruler.clientHeight / 2) ?? "playhead";
            this.isDragging = true;
            this.#move(drag, x(event));
        });
        ruler.addEventListener("pointermove", (event) => { if (drag) this.#move(drag, x(event)); });
        for (const name of ["pointerup", "pointercancel"]) {
            ruler.addEventListener(name, () => {
                drag = null;
                this.isDragging = false;
            });
        }
    }

    #mark(x, isAbove) {
        const { marks } = this.player;
        if (!isAbove || !marks.areSet) return null;
        const { viewport } = this.timeline;
        if (Math.abs(viewport.x(marks.start) - x) <= 6) return "in";
        return Math.abs(viewport.x(marks.end) - x) <= 6 ? "out" : null;
    }

    #move(what, x) {
        const { player, timeline } = this;
        const frame = Math.floor(timeline.viewport.frame(x));
        if (what === "playhead") return player.seek(frame);
        const { marks } = player;
        if (what === "in") marks.in = Math.max(0, Math.min(Math.round(timeline.viewport.frame(x)), marks.end - 1));
        else marks.out = Math.max(marks.start + 1, Math.min(Math.round(timeline.viewport.frame(x)), player.lastFrame + 1));
        player.changeMarks();
    }

    #sheet(scroller) {
        const { timeline, player } = this;
        const place = (event) => {
            const box = scroller.getBoundingClientRect();
            return [event.clientX - box.left, event.clientY - box.top];
        };
        // A click keeps the keyboard focus on the player: the list of objects has its own tab stop.
        scroller.addEventListener("mousedown", (event) => {
            if (event.target.closest(".sheet")) event.preventDefault();
        });
        scroller.addEventListener("click", (event) => {
            const [x, y] = place(event);
            const item = timeline.hit(x, y);
            timeline.select(item);
            if (!item) player.seek(Math.floor(timeline.viewport.frame(x)));
        });
        scroller.addEventListener("dblclick", (event) => {
            const item = timeline.hit(...place(event));
            if (item) timeline.emit("opened", item);
        });
        scroller.addEventListener("touchstart", (event) => { this.#pinch = this.#span(event); }, { passive: true });
        scroller.addEventListener("touchmove", (event) => {
            const span = this.#span(event);
            if (!span || !this.#pinch) return;
            event.preventDefault();
            const middle = (event.touches[0].clientX + event.touches[1].clientX) / 2 - scroller.getBoundingClientRect().left;
            timeline.viewport.zoom(span / this.#pinch, middle);
            this.#pinch = span;
        }, { passive: false });
    }

    #span({ touches }) {
        return touches.length === 2 ? Math.hypot(touches[0].clientX - touches[1].clientX, touches[0].clientY - touches[1].clientY) : 0;
    }

    #wheel(event) {
        const { scroller, viewport, slider } = this.timeline;
        if (event.ctrlKey || event.metaKey) {
            event.preventDefault();
            viewport.zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.004)), event.clientX - scroller.getBoundingClientRect().left);
            return;
        }
        const isDown = Math.abs(event.deltaY) > Math.abs(event.deltaX);
        const isScrollable = scroller.scrollHeight > scroller.clientHeight && event.currentTarget !== slider;
        if (event.shiftKey || (isDown && isScrollable)) return;
        event.preventDefault();
        const delta = isDown ? event.deltaY : event.deltaX;
        scroller.scrollLeft += event.deltaMode ? delta * 30 : delta;
    }
}
