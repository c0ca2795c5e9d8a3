// Phenomena by system, as the markable study draws them: occurrence above, severity below.

import { PHENOMENA, type PhenomenonFigure } from "../../generated/annotate";

export function SplitBars(props: { figures: readonly PhenomenonFigure[] }) {
  const systems = [...new Set(props.figures.map((figure) => figure.system))];
  const cells = new Map(props.figures.map((each) => [`${each.system} ${each.phenomenon}`, each]));
  const most = Math.max(0.05, ...props.figures.map((figure) => figure.occurrence));
  return (
    <div class="scrolls" tabIndex={0} role="region" aria-label="Phenomena by system">
      <table class="figures split">
        <thead>
          <tr>
            <th scope="col">System</th>
            {PHENOMENA.map(([name, title]) => (
              <th key={name} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {systems.map((system) => (
            <tr key={system}>
              <th scope="row">
                <bdi>{system}</bdi>
              </th>
              {PHENOMENA.map(([name]) => (
                <Cell key={name} figure={cells.get(`${system} ${name}`)} most={most} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <p class="soft scale-note">
        Upper bars are drawn up to {Math.round(most * 100)} % of the occurrences, lower bars up to
        severity 1.
      </p>
    </div>
  );
}

function Cell(props: { figure: PhenomenonFigure | undefined; most: number }) {
  const { figure } = props;
  if (!figure) return <td />;
  const share = `${Math.round(figure.occurrence * 100)} %`;
  const severity = figure.severity === null ? "" : figure.severity.toFixed(2);
  return (
    <td title={`${figure.judged} judged`}>
      <span class="split-cell">
        <span class="bars" aria-hidden="true">
          <span
            class="often"
            style={{ inlineSize: `${(figure.occurrence / props.most) * 100}%` }}
          />
          <span class="severe" style={{ inlineSize: `${(figure.severity ?? 0) * 100}%` }} />
        </span>
        <span class="numbers">
          <span>{share}</span>
          <span>{severity}</span>
        </span>
      </span>
    </td>
  );
}
