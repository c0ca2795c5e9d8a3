// The report: reads its data out of the page and shows it.

import "../shared/theme.css";
import "./report.css";

import { render } from "preact";

import { App } from "./app";
import { Report } from "./data/report";

const root = document.getElementById("app") as HTMLElement;

Report.read().then(
  (report) => {
    root.replaceChildren();
    render(<App report={report} />, root);
    document.documentElement.dataset["ready"] = "true";
  },
  (error: unknown) => {
    root.textContent = `This report cannot be read: ${String(error)}`;
  },
);
