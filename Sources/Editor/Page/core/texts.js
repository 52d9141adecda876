/** All texts of the page. To translate it, add a language with the same keys; the first known
 * language of the browser is used. `{name}` is replaced; in a text with `one` and `other`,
 * `count` selects the form by the language's plural rules. */
const languages = {
    en: {
        "status.loading": "Running the script …",
        "status.broken": "The script has problems; showing the last valid picture",
        "status.changed": "The script has changed",
        "status.rendered": "Fully rendered",
        "status.rendering": "{value} % rendered",
        "status.renderingAt": "{value} % rendered, {rate} frames/s",
        "status.facts": "{width}×{height}, {rate} frames/s",
        "status.waiting": "This part is being rendered …",
        "connection.lost": "The editor does not respond. It may have been stopped in its terminal.",
        "connection.ended": "The editor was stopped or cannot be reached. This page reconnects automatically.",
        "connection.back": "The editor is back",
        "connection.refused": "The editor was restarted. Open the address that it prints.",
        "connection.status": "The editor responded with status {status}.",
        "connection.picture": "The editor sent a picture that cannot be read.",

        "page.picture": "Picture", "page.timeline": "Timeline", "page.panel": "Details", "page.problems": "Problems", "page.controls": "Playback",
        "page.cover": "Cover …", "page.export": "Export …", "page.stop": "Stop", "page.stopHint": "Stop the script", "page.keys": "Keyboard shortcuts", "page.queue": "Queue", "page.drafts": "Drafts …",
        "page.exporting": "Export progress",
        "page.splitter": "Height of the timeline",
        "tab.object": "Inspector", "tab.parameters": "Parameters", "tab.media": "Media", "tab.record": "Record",

        "transport.play": "Play", "transport.play.hint": "Play (Space)", "transport.pause": "Pause", "transport.pause.hint": "Pause (Space)",
        "transport.first": "Go to start", "transport.first.hint": "Go to start or in point (Home)",
        "transport.last": "Go to end", "transport.last.hint": "Go to end or out point (End)",
        "transport.previous": "Previous frame", "transport.previous.hint": "Previous frame (←)",
        "transport.next": "Next frame", "transport.next.hint": "Next frame (→)",
        "transport.markIn": "Set in point", "transport.markIn.hint": "Set in point (I)",
        "transport.markOut": "Set out point", "transport.markOut.hint": "Set out point (O)",
        "transport.loop": "Loop", "transport.loop.hint": "Loop between in and out points (R)",
        "transport.sound": "Mute", "transport.sound.hint": "Mute or unmute (M)", "transport.unmute": "Unmute",
        "transport.volume": "Volume",
        "transport.full": "Full screen", "transport.full.hint": "Full screen (F)",
        "transport.time": "Time", "transport.time.hint": "Go to a time: 4:15 is second 4, frame 15; 4.5 is in seconds",
        "transport.rate": "Speed", "transport.times": "{rate}×",
        "transport.scaling": "Picture size",
        "transport.scaling.fit": "Fit", "transport.scaling.actual": "100 %", "transport.scaling.fill": "Fill",

        "said.playing": "Playing", "said.paused": "Paused at {time}", "said.waiting": "Waiting for this part to be rendered",
        "said.in": "In point at {time}", "said.out": "Out point at {time}", "said.cleared": "In and out points cleared",
        "said.repeats": "Loop on", "said.repeatsNot": "Loop off",
        "said.noFullScreen": "The browser does not allow full screen.",
        "said.noTime": "‘{text}’ is not a valid time. 4:15 is second 4, frame 15; 4.5 is in seconds.",
        "said.copied": "Copied: {text}",
        "said.unsupported": "This browser cannot play the preview (H.264 and FLAC in MP4). It shows single frames.",

        "kind.clip": "Clip", "kind.layer": "Layer", "kind.audio": "Audio clip", "kind.effect": "Effect", "kind.title": "Title",
        "kind.sticker": "Sticker", "kind.subtitles": "Subtitles", "kind.transition": "Transition",

        "timeline.playhead": "Playhead",
        "timeline.objects": "Timeline objects",
        "timeline.none": "No object selected",
        "timeline.object": "{kind} {label}, {start} to {end}",
        "timeline.zoomIn": "Zoom in", "timeline.zoomOut": "Zoom out", "timeline.fit": "Show all",

        "object.time": "Timeline range", "object.length": "Length", "object.lengthValue": "{frames} frames, {seconds} s",
        "object.file": "File", "object.source": "Source range", "object.speed": "Speed",
        "object.values": "At {time}", "object.elsewhere": "The playhead is outside this object.",
        "why.title": "What makes the picture at {time}", "why.hint": "From bottom to top.",
        "why.nothing": "Only the background.",
        "why.sourceTime": "Source time", "why.time": "Local time",
        "script.open": "Open {place} in the text editor", "script.open.hint": "Open this line in the text editor",

        "parameters.none": "The script declares no parameters. Declare them with cutroom.params { … }.",
        "parameters.words": "Copy --set options", "parameters.words.hint": "Copy the command-line options that set these values",
        "parameters.save": "Save values", "parameters.save.hint": "Save the values next to the script, to use them the next time it is edited",
        "parameters.saved": "Saved in {file}", "parameters.noWords": "All values are the script's defaults; there is nothing to copy.",
        "parameters.reset": "Reset to default", "parameters.resetOf": "Reset {name} to its default",
        "parameters.chooser": "{name}: choose a color",
        "parameters.addItem": "Add", "parameters.addItemOf": "Add to {name}", "parameters.removeItem": "Remove {number} of {name}",

        "media.search": "Search", "media.folder": "Folder", "media.allFolders": "All folders", "media.kind": "File type",
        "media.all": "All", "media.video": "Video", "media.image": "Image", "media.sound": "Sound",
        "media.more": "Show more", "media.empty": "No files.", "media.hint": "Copy the line that adds this file",
        "media.rate": "{rate} frames/s", "media.sound.rate": "{rate} kHz",

        "record.into": "Takes are added to {name}.",
        "record.beside": "Takes are added to the draft {name} beside the script. The script stays as it is.",
        "record.insecure": "This browser allows a camera, a microphone or a screen only on pages over HTTPS or at localhost. Start the editor with --certificate, or use an SSH tunnel: ssh -N -L {port}:{host}:{port} {host}. Then open the editor’s address with 127.0.0.1 in place of {host}.",
        "record.picture": "Picture", "record.sound": "Sound", "record.camera": "Camera", "record.screen": "Screen or window",
        "record.microphone": "Microphone", "record.noSound": "No sound", "record.browser": "This browser", "record.machine": "The editor’s machine",
        "record.machine.screen": "Screen of the machine", "record.machine.test": "Test picture",
        "record.preview": "Preview", "record.level": "Level of the sound", "record.decibels": "{value} dB",
        "record.record": "Record", "record.record.hint": "Record a take (Shift+R)", "record.finish": "Finish", "record.finish.hint": "Finish the take (Shift+R)",
        "record.cancel": "Cancel", "record.cancel.hint": "Do not record (Shift+R)",
        "record.pause": "Pause", "record.continue": "Continue", "record.pause.hint": "Pause or continue the take (Shift+P)",
        "record.off": "Turn off", "record.off.hint": "Close the sources. Discarded takes are removed then.",
        "record.counts": "Countdown", "record.speed": "Speed",
        "record.takes": "Takes", "record.none": "No takes yet.", "record.take": "Take {take}",
        "record.discard.hint": "Discard this take", "record.discardOf": "Discard: {name}",
        "record.again.hint": "Record this take again: the new one replaces it", "record.againOf": "Record again: {name}",
        "record.undo": "Undo discard", "record.undo.hint": "Bring back the takes that were discarded last (Shift+U)",
        "record.now.recording": "Take {take} {time}", "record.now.paused": "Take {take} paused", "record.now.opening": "Opening …", "record.now.finishing": "Finishing the take …",
        "record.total": "All takes {time}", "record.free": "{value} GB free",
        "record.started": "Take {take} is being recorded", "record.finished": "Take {take} is finished", "record.recovered": "Take {take} of an earlier recording was recovered",
        "record.paused": "The take is paused",
        "record.limit.duration": "The takes are as long as they may be.", "record.limit.size": "The takes are as large as they may be.",
        "record.limit.free": "The disk is nearly full; the take was finished.",
        "record.noFormat": "This browser records no format that can be edited, such as MP4 with H.264 or WebM with VP8.",
        "record.failed": "The browser cannot record: {message}.", "record.slow": "The connection is too slow for what is recorded.",
        "record.lost.camera": "The camera was disconnected, or the browser has stopped it.", "record.lost.screen": "The screen is no longer shared.",
        "record.lost.sound": "The microphone was disconnected, or the browser has stopped it.", "record.lost.none": "The picture has ended.",
        "record.NotAllowedError": "The browser may not use the camera or the microphone. Allow it in the address bar, and try again.",
        "record.NotAllowedError.screen": "The screen was not shared, or the browser may not use the microphone. Allow it, and try again.",
        "record.NotFoundError": "The browser finds no such camera or microphone. Connect one, or choose another.",
        "record.NotReadableError": "The camera or the microphone is in use by another program. Close it, and try again.",
        "record.OverconstrainedError": "The chosen camera or microphone is no longer there. Choose another.",
        "record.prompt": "Teleprompter", "record.prompt.text": "Text", "record.prompt.hint": "What is said. It scrolls over the picture while you record.",
        "record.prompt.speed": "Lines per minute",

        "problems.title": { one: "1 problem", other: "{count} problems" },
        "problems.quiet": { one: "1 warning", other: "{count} warnings" },
        "problems.gone": "All problems are fixed",

        "dialog.close": "Close",
        "export.title": "Export", "export.output": "File", "export.output.hint": "Relative to the script's folder, unless it begins with /.",
        "export.overwrite": "Replace the file if it exists",
        "export.part": "Range", "export.part.whole": "Everything", "export.part.marks": "In to out",
        "export.scale": "Size", "export.percent": "{value} %",
        "export.codec": "Picture", "export.audio": "Sound", "export.usual": "default",
        "export.more": "More", "export.quality": "Quality", "export.quality.hint": "On the codec's scale; lower is better.",
        "export.bitRate": "Bit rate", "export.bitRate.hint": "Bits per second: 800k, 2.5M.",
        "export.preset": "Preset", "export.profile": "Profile",
        "export.start": "Export", "export.cancel": "Cancel", "export.file": "Download", "export.list": "Exports",
        "export.progress": "Export progress of {file}", "export.stage": "{stage} {value} %", "export.left": "{time} left",
        "export.running": "Export {value} %",
        "export.state.done": "Done", "export.state.failed": "Failed", "export.state.cancelled": "Cancelled",
        "export.ended.done": "{file} is finished", "export.ended.failed": "{file} failed. {message}", "export.ended.cancelled": "{file} was cancelled",

        "cover.title": "Cover", "cover.strip": "Choose a frame", "cover.at": "The frame at {time}", "cover.frame": "Frame",
        "cover.output": "File", "cover.playhead": "Frame at the playhead", "cover.write": "Save cover", "cover.written": "{file} was saved",

        "drafts.title": "Recently opened drafts", "drafts.hint": "Click a draft to copy the command that opens it again.", "drafts.none": "No other drafts.",

        "help.title": "Keyboard shortcuts", "help.zoom": "On the timeline, scroll with the wheel, and zoom with Ctrl and the wheel (or pinch). Double-click an object to open its line in the text editor.",
        "keys.play": "Play or pause", "keys.back": "Play backwards; press again to speed up. With K: previous frame",
        "keys.stop": "Pause", "keys.forward": "Play; press again to speed up. With K: next frame",
        "keys.previous": "Previous frame", "keys.next": "Next frame", "keys.secondBack": "Back one second", "keys.secondOn": "Forward one second",
        "keys.editBefore": "Go to previous edit", "keys.editAfter": "Go to next edit", "keys.start": "Go to start", "keys.end": "Go to end",
        "keys.in": "Set in point", "keys.out": "Set out point", "keys.toIn": "Go to in point", "keys.toOut": "Go to out point",
        "keys.clear": "Clear in and out points", "keys.repeat": "Toggle loop", "keys.mute": "Mute or unmute", "keys.full": "Full screen",
        "keys.scaling": "Cycle through Fit, 100 % and Fill", "keys.zoomIn": "Zoom in", "keys.zoomOut": "Zoom out", "keys.fit": "Show the whole timeline",
        "keys.deselect": "Clear selection", "keys.record": "Record or finish a take", "keys.pauseTake": "Pause or continue the take",
        "keys.discardTake": "Discard the last take", "keys.undoDiscard": "Bring back discarded takes", "keys.export": "Export", "keys.cover": "Cover", "keys.help": "Show keyboard shortcuts",
        "key. ": "Space", "key.ArrowLeft": "←", "key.ArrowRight": "→", "key.ArrowUp": "↑", "key.ArrowDown": "↓", "key.Shift": "Shift", "key.Escape": "Esc",

        "farm.title": "Queue", "farm.back": "Back to the editor", "farm.renders": "Renders", "farm.workers": "Workers",
        "farm.none": "No server is running on this machine. Start one with cutroom serve.",
        "farm.noRenders": "No renders.", "farm.noWorkers": "No workers.",
        "farm.id": "Render", "farm.state": "State", "farm.done": "Done", "farm.priority": "Priority", "farm.submitter": "Submitter",
        "farm.name": "Name", "farm.output": "Output", "farm.node": "Node", "farm.busy": "Busy", "farm.cores": "Cores", "farm.memory": "Memory",
        "farm.tags": "Tags", "farm.does": "Jobs", "farm.server": "This server", "farm.share": "{value} % {stage}", "farm.waits": "Waiting: {reason}",
        "farm.memoryValue": "{value} MiB", "farm.busyValue": "{count} of {total}",
        "farm.updated": "Updated at {time}",
    },
};

const known = (navigator.languages ?? ["en"]).map((language) => language.split("-")[0]).find((language) => language in languages);
export const language = known ?? "en";
const texts = languages[language];
const plurals = new Intl.PluralRules(language);

/** Returns a text by its key, with values inserted. */
export function t(key, values = {}) {
    let text = texts[key] ?? key;
    if (typeof text === "object") text = text[plurals.select(values.count)] ?? text.other;
    return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

/** Returns the name of a key on the keyboard. */
t.key = (key) => texts[`key.${key}`] ?? (key.length === 1 ? key.toUpperCase() : key);

/** Inserts the texts into a page: `data-text` for contents, `data-label` for accessible names,
 * and `data-hint` for tooltips. */
export function fillTexts(root) {
    document.documentElement.lang = language;
    for (const element of root.querySelectorAll("[data-text]")) element.append(t(element.dataset.text));
    for (const element of root.querySelectorAll("[data-label]")) element.setAttribute("aria-label", t(element.dataset.label));
    for (const element of root.querySelectorAll("[data-hint]")) element.title = t(element.dataset.hint);
}
