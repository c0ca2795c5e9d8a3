// One text of a case under its name: the source, a reference or an output.

import { MarkedText, type ShownMark } from "../../shared/marked_text";

export function CaseSide(props: {
  heading: "h3" | "h4";
  name: string;
  text: string | null;
  language: string | null;
  marks?: readonly ShownMark[];
}) {
  const { heading: Heading, name, text, language, marks = [] } = props;
  return (
    <div class="case-side">
      <Heading>
        <bdi>{name}</bdi>
      </Heading>
      {text === null ? (
        <p class="soft">absent</p>
      ) : (
        <MarkedText text={text} language={language} marks={marks} />
      )}
    </div>
  );
}
