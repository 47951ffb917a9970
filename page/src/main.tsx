import { render } from "preact";
import { App } from "./app";
import "./look.css";
import "./studies.css";
import { unfoldForPrint } from "./parts/paper";
import { loadSession, showWanted } from "./session";
import { applyTheme } from "./theme";

applyTheme();
unfoldForPrint();
const root = document.getElementById("page");
// A server that does not tell who is signed in is shown as it is: each view then says what is wrong.
showWanted();
if (root) void loadSession().catch(() => undefined).then(() => render(<App />, root));
