import {
  CAUSES,
  type LatenessSummary,
  type LedgerReport,
  lateText,
  partsText,
  type TtlIndexReport,
} from '@replsim/scenario';
import type { ChalkInstance } from 'chalk';
import { table } from '../table.ts';

/** How late TTL deleted, index by index: a line for the primary and one for each member. */
export function ttlTable(
  reports: readonly TtlIndexReport[],
  workloads: readonly Pick<LedgerReport, 'workload' | 'latency'>[],
  chalk: ChalkInstance,
): string {
  if (reports.length === 0) return '\nno TTL index, so nothing could be late\n';
  return reports.map((report) => `\n${indexText(report, chalk)}`).join('') + latencyText(workloads, chalk);
}

/** What passes cost the application: how long its operations took before the primary deleted anything, while it did, and otherwise. */
function latencyText(workloads: readonly Pick<LedgerReport, 'workload' | 'latency'>[], chalk: ChalkInstance): string {
  const rows = workloads.flatMap(({ workload, latency: { beforeTtlPasses, ttlPass, afterTtlPasses } }) =>
    (
      [
        ['before TTL passes', beforeTtlPasses],
        ['in TTL passes', ttlPass],
        ['after TTL passes', afterTtlPasses],
      ] as const
    ).flatMap(([when, latency]) =>
      latency
        ? [[`${workload} ${when}`, String(latency.operations), lateText(latency.p50Ms), lateText(latency.p99Ms)]]
        : [],
    ),
  );
  if (rows.length === 0) return '';
  const head = ['', 'operations', 'median', '99%'];
  return `\n${[chalk.bold('latency of workloads'), ...table([head, ...rows], { left: [0], dim: chalk.dim })].join('\n')}\n`;
}

function indexText({ ns, index, primary, members, pending }: TtlIndexReport, chalk: ChalkInstance): string {
  const title = `${chalk.bold(`lateness of ${ns} ${index}`)}: ${primary.count} deleted`;
  const undone = primary.undone > 0 ? `, ${primary.undone} more undone by a rollback` : '';
  const oldest = pending?.oldestMs === undefined ? '' : `, the oldest for ${lateText(pending.oldestMs)}`;
  const left =
    pending === undefined || pending.count === 0 ? '' : `, ${pending.count} expired and still there${oldest}`;
  const lines = [`${title}${undone}${left}`];
  if (primary.share) {
    const head = ['', 'gone', 'median', '99%', 'worst', 'why the worst'];
    const rows = [row('primary', primary), ...members.map((each) => row(each.on, each))];
    lines.push(
      ...table([head, ...rows], { left: [0, 5], dim: chalk.dim }),
      `  all together: ${sharesText(primary.share)}`,
    );
  }
  return `${lines.join('\n')}\n`;
}

function row(who: string, summary: LatenessSummary): string[] {
  const { count, waiting } = summary;
  const gone = waiting > 0 ? `${count} of ${count + waiting}` : String(count);
  if (!summary.worst) return [who, gone, '', '', '', ''];
  const { medianMs, p99Ms, worst, worstMs } = summary;
  return [who, gone, lateText(medianMs), lateText(p99Ms), lateText(worstMs), partsText(worst)];
}

/** `97% sleep, 3% backlog` of the time that documents were late. */
function sharesText(share: NonNullable<LatenessSummary['share']>): string {
  const made = CAUSES.map((cause) => ({ cause, percent: Math.round(100 * share[cause]) }));
  const told = made.filter(({ percent }) => percent > 0).sort((a, b) => b.percent - a.percent);
  return told.length === 0 ? 'nothing was late' : told.map(({ cause, percent }) => `${percent}% ${cause}`).join(', ');
}
