// Figures and tables for papers: a chart as SVG or PDF, a table as LaTeX or CSV, all by the browser.

/** A table as it can be exported; the first column names the row. */
export interface PlainTable {
  readonly headings: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** "row column" of the cells that are best. */
  readonly best?: ReadonlySet<string>;
  /** What is said of the numbers. */
  readonly notes?: readonly string[];
}

const TEX: Readonly<Record<string, string>> = {
  "\\": "\\textbackslash{}",
  "~": "\\textasciitilde{}",
  "^": "\\textasciicircum{}",
  "↑": "$\\uparrow$",
  "↓": "$\\downarrow$",
  "→": "$\\rightarrow$",
  "≤": "$\\leq$",
  "−": "$-$",
  "–": "--",
};

function tex(text: string): string {
  return text.replace(/[\\&%$#_{}~^↑↓→≤−–]/g, (character) => TEX[character] ?? `\\${character}`);
}

/** A booktabs table, the best of each column bold; columns in which nothing stands are left out. */
export function latex(table: PlainTable): string {
  const kept = table.headings.map((_, i) => i).filter((i) => table.rows.some((row) => row[i]));
  const cell = (text: string, row: number, column: number) =>
    text && table.best?.has(`${row} ${column}`) ? `\\textbf{${tex(text)}}` : tex(text);
  const line = (cells: readonly string[]) => `${cells.join(" & ")} \\\\`;
  return [
    `\\begin{tabular}{l${"r".repeat(Math.max(0, kept.length - 1))}}`,
    "\\toprule",
    line(kept.map((i) => tex(table.headings[i]!))),
    "\\midrule",
    ...table.rows.map((row, number) => line(kept.map((i) => cell(row[i]!, number, i)))),
    "\\bottomrule",
    "\\end{tabular}",
    ...(table.notes ?? []).map((note) => `% ${note.replace(/\s+/g, " ")}`),
    "",
  ].join("\n");
}

/** A table for spreadsheets: an apostrophe keeps texts from being taken for formulas. */
export function csv(table: PlainTable): string {
  const line = (cells: readonly string[]) => `${cells.map(csvCell).join(",")}\n`;
  return [table.headings, ...table.rows].map(line).join("");
}

const FORMULA = /^\s*[=+\-@＝＋－＠]|^[\t\r\n]/;
const NUMBER = /^[+-]?\d+(\.\d+)?$/;

function csvCell(text: string): string {
  const plain = text.replace("−", "-");
  if (NUMBER.test(plain)) return plain;
  const safe = FORMULA.test(plain) ? `'${plain}` : plain;
  return /[",\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const DRAWN = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-dasharray",
  "font-family",
  "font-size",
  "font-weight",
  "text-anchor",
  "opacity",
] as const;

/** The drawing with everything that a style sheet says of it, so that it can stand alone. */
export function standalone(drawing: SVGSVGElement): string {
  return new XMLSerializer().serializeToString(inLight(() => styledCopy(drawing)));
}

/** Papers are white: styles are read in the light look, whichever the reader has chosen. */
function inLight<T>(read: () => T): T {
  const { style } = document.documentElement;
  const chosen = style.colorScheme;
  style.colorScheme = "light";
  try {
    return read();
  } finally {
    style.colorScheme = chosen;
  }
}

function styledCopy(drawing: SVGSVGElement): SVGSVGElement {
  const copy = drawing.cloneNode(true) as SVGSVGElement;
  const originals = [drawing, ...drawing.querySelectorAll("*")];
  [copy, ...copy.querySelectorAll("*")].forEach((element, i) => {
    const style = getComputedStyle(originals[i]!);
    for (const name of DRAWN) element.setAttribute(name, style.getPropertyValue(name));
    for (const name of ["class", "style", "tabindex"]) element.removeAttribute(name);
  });
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  return copy;
}

const ALONE = "chart-alone";

/**
 * Print a drawing alone, on a page of its own size: browsers save that as PDF, with vectors, letters
 * of any script and their fonts inside, which no small program could write as well.
 */
export function printAlone(drawing: SVGSVGElement): void {
  const copy = inLight(() => styledCopy(drawing));
  copy.style.display = "block"; // a line's foot would begin a second page
  const sheet = document.createElement("div");
  sheet.className = "chart-sheet";
  sheet.attachShadow({ mode: "open" }).append(copy); // the page's styles end here
  document.body.append(sheet);
  const styles = document.styleSheets[0]!;
  const { width, height } = drawing.viewBox.baseVal;
  const rule = `@page { size: ${width}px ${Math.ceil(height) + 1}px; margin: 0 }`;
  const at = styles.insertRule(rule, styles.cssRules.length);
  document.documentElement.classList.add(ALONE);
  const restore = () => {
    document.documentElement.classList.remove(ALONE);
    styles.deleteRule(at);
    sheet.remove();
  };
  addEventListener("afterprint", restore, { once: true });
  print();
}

/** Let the browser save a text under a name. */
export function save(name: string, text: string, type: string): void {
  const target = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = target;
  link.download = name;
  link.click();
  URL.revokeObjectURL(target);
}

/** A name for a file: nothing in it that a file system could stumble over. */
export function fileName(...parts: readonly string[]): string {
  return parts.join("-").replace(/[^\p{L}\p{N}.+-]+/gu, "_");
}
