/** Everything that the page says. To translate it, add a language with the same keys; the browser's first known language is taken.
 * `{name}` is replaced; a text with `one` and `other` is chosen by `count`, by the language's own rules. */
const languages = {
    en: {
        "status.loading": "Running the script …",
        "status.broken": "The script has problems; the picture is the last good one",
        "status.changed": "The script has changed",
        "status.rendered": "All is rendered",
        "status.rendering": "{value} % rendered",
        "status.renderingAt": "{value} % rendered, {rate} frames/s",
        "status.facts": "{width}×{height}, {rate} frames/s",
        "status.waiting": "This part is being rendered …",
        "connection.lost": "The editor does not answer. Its terminal may have ended it.",
        "connection.ended": "The editor has ended, or cannot be reached. The page comes back by itself when it is there again.",
        "connection.back": "The editor is there again",
        "connection.refused": "The editor was started anew. Open the address that it prints.",
        "connection.status": "The editor has answered with the status {status}.",
        "connection.picture": "The editor has sent a picture that cannot be read.",

        "page.picture": "Picture", "page.timeline": "Timeline", "page.panel": "Details", "page.problems": "Problems", "page.controls": "Playing",
        "page.cover": "Cover …", "page.export": "Export …", "page.stop": "Stop", "page.stopHint": "Stop the script", "page.keys": "Keys", "page.queue": "Queue", "page.drafts": "Drafts …",
        "page.exporting": "How far the export is",
        "page.splitter": "Height of the timeline",
        "tab.object": "Inspector", "tab.parameters": "Parameters", "tab.media": "Media",

        "transport.play": "Play", "transport.play.hint": "Play (Space)", "transport.pause": "Pause", "transport.pause.hint": "Pause (Space)",
        "transport.first": "To the beginning", "transport.first.hint": "To the beginning (Home), or the in point",
        "transport.last": "To the end", "transport.last.hint": "To the end (End), or the out point",
        "transport.previous": "One frame back", "transport.previous.hint": "One frame back (←)",
        "transport.next": "One frame on", "transport.next.hint": "One frame on (→)",
        "transport.markIn": "In point here", "transport.markIn.hint": "In point here (I)",
        "transport.markOut": "Out point here", "transport.markOut.hint": "Out point here (O)",
        "transport.loop": "Repeat", "transport.loop.hint": "Repeat what lies between in and out (R)",
        "transport.sound": "Mute", "transport.sound.hint": "Sound on or off (M)", "transport.unmute": "Sound on",
        "transport.volume": "Volume",
        "transport.full": "Full screen", "transport.full.hint": "Full screen (F)",
        "transport.time": "Time", "transport.time.hint": "Go to a time: 4:15 is second 4, frame 15; 4.5 is in seconds",
        "transport.rate": "Speed", "transport.times": "{rate}×",
        "transport.scaling": "Size of the picture",
        "transport.scaling.fit": "Fit", "transport.scaling.actual": "100 %", "transport.scaling.fill": "Fill",

        "said.playing": "Playing", "said.paused": "Paused at {time}", "said.waiting": "Waiting for what is being rendered",
        "said.in": "In point at {time}", "said.out": "Out point at {time}", "said.cleared": "No in and out points",
        "said.repeats": "Repeats", "said.repeatsNot": "Plays once",
        "said.noFullScreen": "The browser does not allow full screen here.",
        "said.noTime": "‘{text}’ is no time. 4:15 is second 4, frame 15; 4.5 is in seconds.",
        "said.copied": "Copied: {text}",
        "said.unsupported": "This browser does not play the preview (H.264 and FLAC in MP4). Single frames are shown.",

        "kind.clip": "Clip", "kind.layer": "Layer", "kind.audio": "Audio clip", "kind.effect": "Effect", "kind.title": "Title",
        "kind.sticker": "Sticker", "kind.subtitles": "Subtitles", "kind.transition": "Transition",

        "timeline.playhead": "Playhead",
        "timeline.objects": "Objects of the timeline",
        "timeline.none": "No object is selected",
        "timeline.object": "{kind} {label}, {start} to {end}",
        "timeline.zoomIn": "Zoom in", "timeline.zoomOut": "Zoom out", "timeline.fit": "Show all",

        "object.time": "On the timeline", "object.length": "Length", "object.lengthValue": "{frames} frames, {seconds} s",
        "object.file": "File", "object.source": "Of the file", "object.speed": "Speed",
        "object.values": "At {time}", "object.elsewhere": "The playhead is elsewhere.",
        "why.title": "What makes {time}", "why.hint": "From what lies below to what lies above.",
        "why.nothing": "Nothing but the background.",
        "why.sourceTime": "Time in the file", "why.time": "Its own time",
        "script.open": "Open {place} in the text editor", "script.open.hint": "Open this line in the text editor",

        "parameters.none": "The script declares no parameters. cutroom.params { … } does.",
        "parameters.words": "Copy --set words", "parameters.words.hint": "The words for the command line that set these values",
        "parameters.save": "Save values", "parameters.save.hint": "Save the values beside the script, for the next time it is edited",
        "parameters.saved": "Saved in {file}", "parameters.noWords": "All values are the script's own; there is nothing to set.",
        "parameters.reset": "The script's own value", "parameters.resetOf": "The script's own value of {name}",
        "parameters.chooser": "{name}: choose a colour",
        "parameters.addItem": "Add", "parameters.addItemOf": "Add to {name}", "parameters.removeItem": "Remove {number} of {name}",

        "media.search": "Search", "media.folder": "Folder", "media.allFolders": "All folders", "media.kind": "Kind of file",
        "media.all": "All", "media.video": "Video", "media.image": "Image", "media.sound": "Sound",
        "media.more": "Show more", "media.empty": "Nothing here.", "media.hint": "Copy the line that adds this file",
        "media.rate": "{rate} frames/s", "media.sound.rate": "{rate} kHz",

        "problems.title": { one: "1 problem", other: "{count} problems" },
        "problems.quiet": { one: "1 warning", other: "{count} warnings" },
        "problems.gone": "No more problems",

        "dialog.close": "Close",
        "export.title": "Export", "export.output": "File", "export.output.hint": "From the script's folder on, unless it begins with /.",
        "export.overwrite": "Replace the file where it exists",
        "export.part": "Part", "export.part.whole": "Everything", "export.part.marks": "From in to out",
        "export.scale": "Size", "export.percent": "{value} %",
        "export.codec": "Picture", "export.audio": "Sound", "export.usual": "as usual",
        "export.more": "More", "export.quality": "Quality", "export.quality.hint": "On the codec's scale; smaller is better.",
        "export.bitRate": "Bit rate", "export.bitRate.hint": "Bits per second: 800k, 2.5M.",
        "export.preset": "Preset", "export.profile": "Profile",
        "export.start": "Export", "export.cancel": "Cancel", "export.file": "Download", "export.list": "Exports",
        "export.progress": "Progress of {file}", "export.stage": "{stage} {value} %", "export.left": "{time} left",
        "export.running": "Export {value} %",
        "export.state.done": "Done", "export.state.failed": "Failed", "export.state.cancelled": "Cancelled",
        "export.ended.done": "{file} is done", "export.ended.failed": "{file} has failed. {message}", "export.ended.cancelled": "{file} was cancelled",

        "cover.title": "Cover", "cover.strip": "Frames to choose from", "cover.at": "The frame at {time}", "cover.frame": "Frame",
        "cover.output": "File", "cover.playhead": "Frame at the playhead", "cover.write": "Write the cover", "cover.written": "{file} is written",

        "drafts.title": "Drafts that were open", "drafts.hint": "A click copies the words that open it again.", "drafts.none": "There are no others.",

        "help.title": "Keys", "help.zoom": "On the timeline, Ctrl and the wheel (or two fingers) zoom, the wheel scrolls. A double click opens an object's line in the text editor.",
        "keys.play": "Play or pause", "keys.back": "Play backwards; again: faster. With K: one frame back",
        "keys.stop": "Pause", "keys.forward": "Play; again: faster. With K: one frame on",
        "keys.previous": "One frame back", "keys.next": "One frame on", "keys.secondBack": "One second back", "keys.secondOn": "One second on",
        "keys.editBefore": "To the edit before", "keys.editAfter": "To the next edit", "keys.start": "To the beginning", "keys.end": "To the end",
        "keys.in": "In point here", "keys.out": "Out point here", "keys.toIn": "To the in point", "keys.toOut": "To the out point",
        "keys.clear": "No in and out points", "keys.repeat": "Repeat", "keys.mute": "Sound on or off", "keys.full": "Full screen",
        "keys.scaling": "Fit, 100 %, fill", "keys.zoomIn": "Zoom in", "keys.zoomOut": "Zoom out", "keys.fit": "Show the whole timeline",
        "keys.deselect": "Select nothing", "keys.export": "Export", "keys.cover": "Cover", "keys.help": "These keys",
        "key. ": "Space", "key.ArrowLeft": "←", "key.ArrowRight": "→", "key.ArrowUp": "↑", "key.ArrowDown": "↓", "key.Shift": "Shift", "key.Escape": "Esc",

        "farm.title": "Queue", "farm.back": "Back to the editor", "farm.renders": "Renders", "farm.workers": "Workers",
        "farm.none": "No server runs on this machine. cutroom serve starts one.",
        "farm.noRenders": "No renders.", "farm.noWorkers": "No workers.",
        "farm.id": "Render", "farm.state": "State", "farm.done": "Done", "farm.priority": "Priority", "farm.submitter": "Submitter",
        "farm.name": "Name", "farm.output": "Output", "farm.node": "Node", "farm.busy": "Busy", "farm.cores": "Cores", "farm.memory": "Memory",
        "farm.tags": "Tags", "farm.does": "Does", "farm.server": "This server", "farm.share": "{value} % {stage}", "farm.waits": "Waits: {reason}",
        "farm.memoryValue": "{value} MiB", "farm.busyValue": "{count} of {total}",
        "farm.updated": "As of {time}",
    },
};

const known = (navigator.languages ?? ["en"]).map((language) => language.split("-")[0]).find((language) => language in languages);
export const language = known ?? "en";
const texts = languages[language];
const plurals = new Intl.PluralRules(language);

/** A text by its key, with values put in. */
export function t(key, values = {}) {
    let text = texts[key] ?? key;
    if (typeof text === "object") text = text[plurals.select(values.count)] ?? text.other;
    return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

/** What a key of the keyboard is called. */
t.key = (key) => texts[`key.${key}`] ?? (key.length === 1 ? key.toUpperCase() : key);

/** Puts the texts into a page: `data-text` for what is read, `data-label` for names of what has none, and `data-hint` for tips. */
export function fillTexts(root) {
    document.documentElement.lang = language;
    for (const element of root.querySelectorAll("[data-text]")) element.append(t(element.dataset.text));
    for (const element of root.querySelectorAll("[data-label]")) element.setAttribute("aria-label", t(element.dataset.label));
    for (const element of root.querySelectorAll("[data-hint]")) element.title = t(element.dataset.hint);
}
