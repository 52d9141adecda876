import { find, h } from "./core/dom.js";
import { icon } from "./core/icons.js";
import { Session } from "./core/session.js";
import { fillTexts, t } from "./core/texts.js";
import { CoverDialog } from "./dialogs/cover.js";
import { DraftsDialog } from "./dialogs/drafts.js";
import { ExportDialog } from "./dialogs/export.js";
import { HelpDialog } from "./dialogs/help.js";
import { keyTable, listen } from "./keys.js";
import { Inspector } from "./panels/inspector.js";
import { Media } from "./panels/media.js";
import { Parameters } from "./panels/parameters.js";
import { Problems } from "./panels/problems.js";
import { itemPlace, openPlace } from "./panels/script.js";
import { makeTabs } from "./panels/tabs.js";
import { Player } from "./player/player.js";
import { Transport } from "./player/transport.js";
import { Viewer } from "./player/viewer.js";
import { Recorder } from "./record/panel.js";
import { splitter } from "./splitter.js";
import { Status } from "./status.js";
import { Timeline } from "./timeline/timeline.js";

fillTexts(document);
for (const place of document.querySelectorAll("[data-icon]")) place.prepend(icon(place.dataset.icon));

const session = new Session();
const player = new Player(find("#video"), session);
// The player first: the others use its playhead and marks.
session.on("state", (state) => player.load(state));
const status = new Status({ session, player });
const viewer = new Viewer(find(".stage"), player, session, { failed: (message) => status.tellOfPicture(message) });
const transport = new Transport(find(".transport"), { player, viewer, session });
const timeline = new Timeline(find("#timeline"), { player, session });
new Inspector(find("#panel-object"), { player, session, timeline });
new Parameters(find("#panel-parameters"), { session });
const media = new Media(find("#panel-media"), { session });
const recorder = new Recorder(find("#panel-record"), { session, player, stage: find(".stage") });
new Problems(find("#problems"), find("#warnings"), session);

const dialogs = {
    export: new ExportDialog({ player, session }), cover: new CoverDialog({ player, session }), help: new HelpDialog(), drafts: new DraftsDialog(),
};
const keys = keyTable({ player, transport, timeline, viewer, dialogs, recorder, showTab: (id) => showTab(id) });
dialogs.help.table = keys;
listen(keys);
for (const button of document.querySelectorAll("[data-dialog]")) button.addEventListener("click", () => dialogs[button.dataset.dialog].open());

const showTab = makeTabs(find(".panel [role=tablist]"), (id) => {
    if (id === "tab-media") media.load();
    if (id === "tab-record") recorder.open();
});
timeline.on("selected", (item) => { if (item) showTab("tab-object"); });
timeline.on("opened", (item) => openPlace(session, itemPlace(session.state, item)));
splitter(find("#splitter"), find("#timeline"));

// After a control is used with the mouse, shortcuts work again.
for (const region of document.querySelectorAll(".transport, #timeline .tools")) {
    region.addEventListener("mousedown", (event) => { if (event.target.closest("button")) event.preventDefault(); });
    region.addEventListener("pointerup", (event) => { if (event.target.matches("input[type=range]")) event.target.blur(); });
    region.addEventListener("change", ({ target }) => { if (target.matches("select:not(:focus-visible)")) target.blur(); });
}

session.start();
