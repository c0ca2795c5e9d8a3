// The report: reads its data out of the page and shows it.

import "../shared/theme.css";
import "../shared/voices.css";
import "./report.css";

import { type ComponentChild, render } from "preact";

import type { SetsIndex } from "../generated/report";
import { App } from "./app";
import { readPart } from "./data/parts";
import { Report } from "./data/report";
import { Sets } from "./sets";

const root = document.getElementById("app") as HTMLElement;

async function page(): Promise<ComponentChild> {
  const several = document.getElementById("index") !== null;
  return several ? (
    <Sets index={await readPart<SetsIndex>("index")} />
  ) : (
    <App report={await Report.read()} />
  );
}

page().then(
  (shown) => {
    root.replaceChildren();
    render(shown, root);
    document.documentElement.dataset["ready"] = "true";
  },
  (error: unknown) => {
    root.textContent = `This report cannot be read: ${String(error)}`;
  },
);
