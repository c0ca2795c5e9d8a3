// The organiser's guidelines, beside the work: headings, lists and paragraphs, as text nodes.

import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

export function Guidelines(props: {
  text: string;
  close?: () => void;
  /** The heading at which they open, if it is there. */
  about?: string | undefined;
}) {
  const element = useRef<HTMLElement>(null);
  useEffect(() => {
    const headings = [...(element.current?.querySelectorAll("h3") ?? [])];
    headings.find((each) => each.textContent === props.about)?.scrollIntoView({ block: "start" });
  }, []);
  return (
    <aside class="guidelines" ref={element} aria-label="Guidelines" tabIndex={0}>
      <header>
        <h2>Guidelines</h2>
        {props.close && (
          <button type="button" class="plain" onClick={props.close}>
            Close <kbd>G</kbd>
          </button>
        )}
      </header>
      {blocksOf(props.text).map((block, i) => (
        <Written key={i} block={block} />
      ))}
      {props.text.trim() === "" && <p class="soft">There are none.</p>}
    </aside>
  );
}

interface Block {
  readonly kind: "heading" | "subheading" | "list" | "paragraph";
  readonly parts: string[];
}

const KIND_OF: Record<string, Block["kind"]> = {
  "#": "heading",
  "##": "subheading",
  "###": "subheading",
};

/** Paragraphs are parted by empty lines; `#` begins a heading, `-` or `*` an entry of a list. */
function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  let open: Block | null = null;
  for (const line of text.split("\n").map((each) => each.trim())) {
    const [sign, words] = [/^(#{1,3}|[-*]) /.exec(line)?.[1], line.replace(/^(#{1,3}|[-*]) /, "")];
    if (line === "") open = null;
    else if (open && !sign) open.parts.push(`${open.parts.pop()} ${words}`);
    else if (open?.kind === "list" && !sign?.startsWith("#")) open.parts.push(words);
    else {
      const kind = !sign ? "paragraph" : (KIND_OF[sign] ?? "list");
      const block: Block = { kind, parts: [words] };
      blocks.push(block);
      open = kind.endsWith("heading") ? null : block;
    }
  }
  return blocks;
}

function Written(props: { block: Block }) {
  const { kind, parts } = props.block;
  if (kind === "subheading") return <h4 dir="auto">{inline(parts[0] as string)}</h4>;
  if (kind === "heading") return <h3 dir="auto">{inline(parts[0] as string)}</h3>;
  if (kind === "paragraph") return <p dir="auto">{inline(parts[0] as string)}</p>;
  return (
    <ul>
      {parts.map((part, i) => (
        <li key={i} dir="auto">
          {inline(part)}
        </li>
      ))}
    </ul>
  );
}

function inline(text: string): ComponentChildren {
  return text.split(/(\*\*[^*]+\*\*|\*[^*\s][^*]*\*|`[^`]+`)/).map((part, i) => {
    if (part.startsWith("**")) return <strong key={i}>{part.slice(2, -2)}</strong>;
    if (/^\*.+\*$/s.test(part)) return <em key={i}>{part.slice(1, -1)}</em>;
    if (part.startsWith("`")) return <code key={i}>{part.slice(1, -1)}</code>;
    return part;
  });
}
