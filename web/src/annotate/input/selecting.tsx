// What can be done with selected words: a few buttons beside them, and the same by keys.

import {
  byTouch,
  deselect,
  type Selected,
  selectedNow,
  snapSelection,
  useSelected,
} from "./selection";
import { type Picking, usePicking } from "./picking";
import { keyName, useShortcuts } from "./shortcuts";

export interface SelectionAction {
  readonly keys: readonly string[];
  readonly label: string;
  readonly applies: (selected: Selected) => boolean;
  readonly run: (selected: Selected) => void;
}

export interface Selecting {
  readonly picking: Picking;
  readonly actions: readonly SelectionAction[];
  readonly selected: Selected | null;
  readonly act: (action: SelectionAction) => void;
}

export function useSelecting(all: readonly SelectionAction[]): Selecting {
  const selected = useSelected();
  const actions = selected ? all.filter((action) => action.applies(selected)) : [];
  const act = (action: SelectionAction) => {
    if (byTouch()) snapSelection();
    // Keys may be quicker than the news of a selection; a finger on a button may end it.
    const now = selectedNow() ?? (byTouch() ? selected : null);
    if (now && action.applies(now)) action.run(now);
    deselect();
    picking.end();
  };
  const shortcuts = all.map((each) => ({
    keys: each.keys,
    label: each.label,
    run: () => act(each),
  }));
  const picking = usePicking(shortcuts);
  useShortcuts({ title: "Selected words", shortcuts }, actions.length > 0 && !picking.place);
  return { picking, actions, selected, act };
}

const ROOM = 44;

/** Just above the words, or below where there is no room. */
export function SelectionBar(props: { selecting: Selecting }) {
  const { selected, actions, act } = props.selecting;
  if (!selected || actions.length === 0) return null;
  const { box } = selected;
  const top = box.top > ROOM * 2 ? box.top - ROOM : box.bottom + 6;
  const left = Math.max(8, Math.min(box.left, innerWidth - 140 * actions.length));
  return (
    <div
      class="selection-bar"
      role="toolbar"
      aria-label="Selected words"
      style={{ top: `${top}px`, left: `${left}px` }}
      onPointerDown={(event) => event.preventDefault()}
      onMouseDown={(event) => event.preventDefault()}
    >
      {actions.map((action) => (
        <button key={action.label} type="button" onClick={() => act(action)}>
          {action.label} <kbd>{keyName(action.keys[0] as string)}</kbd>
        </button>
      ))}
    </div>
  );
}
