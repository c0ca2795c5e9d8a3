// Numbers and names as a reader wants them.

/** Rounded, with a true minus, and none before a 0. */
export function number(value: number | null | undefined, digits: number): string {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  return (Number(value.toFixed(digits)) || 0).toFixed(digits).replace("-", "−");
}

/** Two decimals at most, and none that say nothing. */
export function short(value: number): string {
  return String(Number(value.toFixed(2))).replace("-", "−");
}

export function signed(value: number | null | undefined, digits: number): string {
  const text = number(value, digits);
  return typeof value === "number" && value > 0 ? `+${text}` : text;
}

export function pValue(p: number | null): string {
  if (p === null) return "p unknown";
  return p < 0.001 ? "p < 0.001" : `p = ${p.toFixed(3)}`;
}

export function counted(count: number, noun: string): string {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}

/** "a, b and 3 more" */
export function listed(names: readonly string[], most = 6): string {
  if (names.length <= most) return names.join(", ");
  return `${names.slice(0, most - 1).join(", ")} and ${names.length - most + 1} more`;
}

export function languageName(code: string | null): string {
  if (!code) return "unknown language";
  try {
    return new Intl.DisplayNames("en", { type: "language" }).of(code) ?? code;
  } catch {
    return code;
  }
}
