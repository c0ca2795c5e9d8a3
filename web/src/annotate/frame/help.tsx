// What can be pressed here, read off the page itself.

import { useState } from "preact/hooks";

import { activeLayers, keyName } from "../input/shortcuts";
import { Dialog } from "./dialog";

export function Help(props: { close: () => void }) {
  const [layers] = useState(activeLayers);
  const shortcuts = [{ keys: ["?"], label: "Close", run: props.close }];
  return (
    <Dialog title="Keyboard shortcuts" class="help" shortcuts={shortcuts} close={props.close}>
      <header>
        <h2>Keyboard shortcuts</h2>
        <button type="button" class="plain" onClick={props.close}>
          Close
        </button>
      </header>
      <div class="columns">
        {layers.map((layer) => (
          <section key={layer.title}>
            <h3>{layer.title}</h3>
            <dl>
              {layer.shortcuts
                .filter((each) => !each.silent)
                .map((each) => (
                  <div key={each.label}>
                    <dt>
                      {each.keys.map((key) => (
                        <kbd key={key}>{keyName(key)}</kbd>
                      ))}
                    </dt>
                    <dd>{each.label}</dd>
                  </div>
                ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
