// A text of any length: a very long one is cut into pieces, of which only those in view are laid out.

import { useMemo } from "preact/hooks";

import { MarkedText, type ShownMark } from "../../shared/marked_text";

interface Piece {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const LONG = 4000;
const LENGTH = 1500;

export function Passage(props: {
  text: string;
  language: string | null;
  marks?: readonly ShownMark[];
}) {
  const { text, language, marks = [] } = props;
  const pieces = useMemo(() => (text.length > LONG ? piecesOf(text) : null), [text]);
  if (!pieces) return <MarkedText text={text} language={language} marks={marks} />;
  return (
    <>
      {pieces.map((piece) => (
        <MarkedText
          key={piece.start}
          text={piece.text}
          language={language}
          marks={within(marks, piece)}
        />
      ))}
    </>
  );
}

/** Cut behind spaces where there are any; together the pieces are the whole text. */
export function piecesOf(text: string): Piece[] {
  const points = [...text];
  const pieces: Piece[] = [];
  let start = 0;
  while (start < points.length) {
    const furthest = Math.min(points.length, start + LENGTH);
    const space = furthest < points.length ? points.lastIndexOf(" ", furthest) : -1;
    const end = space > start + LENGTH / 2 ? space + 1 : furthest;
    pieces.push({ text: points.slice(start, end).join(""), start, end });
    start = end;
  }
  return pieces;
}

function within(marks: readonly ShownMark[], piece: Piece): ShownMark[] {
  return marks
    .filter((mark) => mark.start < piece.end && mark.end > piece.start)
    .map((mark) => ({
      ...mark,
      start: Math.max(0, mark.start - piece.start),
      end: Math.min(piece.end, mark.end) - piece.start,
    }));
}
