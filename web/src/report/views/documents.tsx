// Documents: on which documents does a system fail?

import { useMemo } from "preact/hooks";

import type { Route } from "../../shared/router";
import { LengthPlot } from "../charts/length";
import { isOutlier, type Matrix, matrixOf, type Row, sorted } from "../data/matrix";
import type { Report } from "../data/report";
import { counted } from "../format";
import { Term } from "../glossary";
import { Key, Legend, Section, TableExport, titleOf } from "../pieces";
import { documentsTable, MatrixTable } from "./documents/matrix_table";
import { type DocumentsSetting, documentsSetting, orderOf } from "./documents/setting";
import { DocumentsTools } from "./documents/tools";

export function DocumentsView(props: { report: Report; route: Route }) {
  const { report, route } = props;
  const setting = documentsSetting(report, route);
  const matrix = useMemo(() => matrixOf(report, setting.metric), [setting.metric]);
  const rows = chosenRows(report, matrix, setting);
  return (
    <>
      <h2 class="unseen">Documents</h2>
      <DocumentsTools report={report} route={route} setting={setting} />
      <MatrixTable {...{ report, route, setting, matrix, rows }} />
      <Legend>
        {setting.colour === "score" ? (
          <>
            <Key class="q0">low</Key>
            <Key class="q9">high</Key>
          </>
        ) : (
          <>
            <Key class="d-5">worse than that</Key>
            <Key class="d5">better than that</Key>
          </>
        )}
        <Key class="outlier">
          <Term of="outlier" />: far from what document and system lead one to expect (
          {counted(outliersIn(matrix), "cell")})
        </Key>
        <Key class="none">not scored</Key>
        <TableExport
          name={`${report.overview.facts.testset}-documents`}
          of="the documents shown"
          table={() => documentsTable(report, setting.metric, rows)}
        />
      </Legend>
      <AgainstLength {...{ report, setting, matrix, rows }} />
    </>
  );
}

function outliersIn(matrix: Matrix): number {
  let count = 0;
  for (const row of matrix.rows) {
    row.surprise.forEach((_, system) => isOutlier(matrix, row, system) && count++);
  }
  return count;
}

function chosenRows(report: Report, matrix: Matrix, setting: DocumentsSetting): Row[] {
  const { ids, domain, domains } = report.overview.documents;
  const wanted = setting.search.toLowerCase();
  const rows = matrix.rows.filter((row) => {
    const of = domain[row.document];
    if (setting.domain && (of === null || of === undefined || domains[of] !== setting.domain))
      return false;
    if (wanted && !ids[row.document]!.toLowerCase().includes(wanted)) return false;
    return !setting.outliersOnly || row.surprise.some((_, i) => isOutlier(matrix, row, i));
  });
  return sorted(
    report,
    rows,
    orderOf(report, setting),
    report.metrics[setting.metric]!.higher_is_better,
  );
}

function AgainstLength(props: {
  report: Report;
  setting: DocumentsSetting;
  matrix: Matrix;
  rows: readonly Row[];
}) {
  const { report, setting, matrix, rows } = props;
  const order = orderOf(report, setting);
  const system = typeof order === "object" ? order.system : null;
  const view = report.metrics[setting.metric]!;
  const whose = system === null ? "the mean of all systems" : report.overview.systems[system]!.name;
  const points = rows.map((row) => ({
    document: row.document,
    score: system === null ? row.mean : row.scores[system]!,
    odd: system !== null && isOutlier(matrix, row, system),
  }));
  return (
    <Section
      title="Score against length"
      lead={`${titleOf(view)} of ${whose}, a dot a document. Sort by a system to see that system.`}
    >
      <div class="half-width">
        <LengthPlot
          report={report}
          points={points}
          digits={view.digits}
          label={`${view.name} of ${whose} against the length of the document`}
        />
      </div>
    </Section>
  );
}
