import { render } from "preact";
import { App } from "./app";
import "./look.css";
import "./studies.css";
import { applyTheme } from "./theme";

applyTheme();
const root = document.getElementById("page");
if (root) render(<App />, root);
