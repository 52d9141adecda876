/** The page's icons: paths on a square of 16, drawn in the color of the text. */
const paths = {
    play: "M4 2.5v11l9-5.5z",
    pause: "M4 2.5h3v11H4zM9 2.5h3v11H9z",
    previous: "M10.5 3v10L4 8z",
    next: "M5.5 3v10L12 8z",
    first: "M3 3h2v10H3zM13 3v10L6 8z",
    last: "M11 3h2v10h-2zM3 3v10l7-5z",
    markIn: "M8.5 1.5H3.5v13h5v-1.7H5.2V3.2h3.3zM14 4.5v7L8.5 8z",
    markOut: "M7.5 1.5h5v13h-5v-1.7h3.3V3.2H7.5zM2 4.5v7L7.5 8z",
    loop: "M3 8.5V7a3.5 3.5 0 0 1 3.5-3.5H10V1l4 3.3-4 3.3V5.1H6.5A1.9 1.9 0 0 0 4.6 7v1.5zM13 7.5V9a3.5 3.5 0 0 1-3.5 3.5H6V15l-4-3.3 4-3.3v2.5h3.5A1.9 1.9 0 0 0 11.4 9V7.5z",
    sound: "M2 5.8h2.6L8 3v10l-3.4-2.8H2zM9.5 5.2a3.5 3.5 0 0 1 0 5.6zM11 3a6 6 0 0 1 0 10v-1.6a4.7 4.7 0 0 0 0-6.8z",
    mute: "M2 5.8h2.6L8 3v10l-3.4-2.8H2zM9.7 6l1-1 1.6 1.7L14 5l1 1-1.7 1.7L15 9.4l-1 1-1.7-1.7-1.6 1.7-1-1 1.6-1.7z",
    full: "M2 2h4.5v1.6H3.6v2.9H2zM9.5 2H14v4.5h-1.6V3.6H9.5zM2 9.5h1.6v2.9h2.9V14H2zM12.4 9.5H14V14H9.5v-1.6h2.9z",
    plus: "M7.2 3h1.6v4.2H13v1.6H8.8V13H7.2V8.8H3V7.2h4.2z",
    minus: "M3 7.2h10v1.6H3z",
    fit: "M2 3h1.6v10H2zM12.4 3H14v10h-1.6zM5 7.2h1.4V5.4L4.2 8l2.2 2.6V8.8h3.2v1.8L11.8 8 9.6 5.4v1.8z",
    copy: "M5.5 1.5h8v9h-8zM7 3v6h5V3zM2.5 5.5H4V13h5.5v1.5h-7z",
    open: "M3 3h4v1.6H4.6v6.8h6.8V9H13v4H3zM8.5 3H13v4.5h-1.6V5.7L7.8 9.3 6.7 8.2l3.6-3.6H8.5z",
    close: "M3.5 4.6l1.1-1.1L8 6.9l3.4-3.4 1.1 1.1L9.1 8l3.4 3.4-1.1 1.1L8 9.1l-3.4 3.4-1.1-1.1L6.9 8z",
    undo: "M6.5 3v2.7H10a3.7 3.7 0 0 1 0 7.4H5v-1.6h5a2.1 2.1 0 0 0 0-4.2H6.5V10L3 6.5z",
    record: "M8 3a5 5 0 1 1 0 10A5 5 0 0 1 8 3z",
    stop: "M4 4h8v8H4z",
    alert: "M8 1.5l7 12.5H1zM7.2 6v4h1.6V6zM7.2 11v1.5h1.6V11z",
    keys: "M1.5 4h13v8h-13zM3 5.5v1.3h1.3V5.5zM5.5 5.5v1.3h1.3V5.5zM8 5.5v1.3h1.3V5.5zM10.5 5.5v1.3h2.5V5.5zM3 9v1.3h1.3V9zM5.5 9v1.3h5V9zM11.7 9v1.3H13V9z",
};

const namespace = "http://www.w3.org/2000/svg";

/** Creates an icon; its control has the label. */
export function icon(name) {
    const svg = document.createElementNS(namespace, "svg");
    svg.setAttribute("viewBox", "0 0 16 16");
    svg.setAttribute("aria-hidden", "true");
    svg.setAttribute("class", "icon");
    const path = document.createElementNS(namespace, "path");
    path.setAttribute("d", paths[name]);
    path.setAttribute("fill-rule", "evenodd");
    svg.append(path);
    return svg;
}
