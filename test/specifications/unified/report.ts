import type { Row } from './runSuite.ts';

/** Of the tests that are fair, so many in a hundred have to pass. */
const EXPECTED_PERCENT = 98;

/** How many of some tests passed. */
export interface Share {
  readonly passed: number;
  readonly of: number;
}

export interface Summary {
  /** Without what was skipped and what the driver fails by itself. */
  readonly fair: Share;
  /** Whether enough of them passed. */
  readonly isAsExpected: boolean;
}

export function summaryOf(rows: readonly Row[]): Summary {
  const fair = shareOf(rows.filter(({ outcome, cause }) => outcome !== 'skipped' && cause !== 'driver'));
  return { fair, isAsExpected: 100 * fair.passed >= EXPECTED_PERCENT * fair.of };
}

function shareOf(rows: readonly Row[]): Share {
  return { passed: rows.filter(({ outcome }) => outcome === 'passed').length, of: rows.length };
}

/** A line of a test that failed, and why. */
export function failureText({ suite, file, description, reason, cause }: Row): string {
  return `${suite}/${file}: ${description}\n  ${cause ? `[${cause}] ` : ''}${reason}`;
}

/** The table by specification, what was skipped and why, and the percentages. */
export function tableOf(rows: readonly Row[]): string {
  const suites = grouped(rows, ({ suite }) => suite);
  const lines = Array.from(suites, ([suite, own]) => countsLine(suite, own));
  const skipped = grouped(
    rows.filter(({ outcome }) => outcome === 'skipped'),
    ({ reason = '' }) => reason,
  );
  const bySize = [...skipped].sort(([, a], [, b]) => b.length - a.length);
  const { fair } = summaryOf(rows);
  return [
    ...HEAD,
    ...lines,
    countsLine('all', rows),
    '',
    'skipped:',
    ...bySize.map(([reason, own]) => `${String(own.length).padStart(6)}  ${reason}`),
    '',
    `${shareText(fair)} of those that are fair; expected: ${EXPECTED_PERCENT} %`,
  ].join('\n');
}

function grouped(rows: readonly Row[], by: (row: Row) => string): ReadonlyMap<string, readonly Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) groups.set(by(row), [...(groups.get(by(row)) ?? []), row]);
  return groups;
}

const COLUMNS: readonly (readonly [string, (row: Row) => boolean])[] = [
  ['passed', ({ outcome }) => outcome === 'passed'],
  ['failed', (row) => isFailed(row) && !row.cause],
  ['the driver', (row) => isFailed(row) && row.cause === 'driver'],
  ['by choice', (row) => isFailed(row) && row.cause === 'choice'],
  ['skipped', ({ outcome }) => outcome === 'skipped'],
];
const NAME_WIDTH = 32;

const isFailed = ({ outcome }: Row) => outcome === 'failed';

/** As Markdown has it, so that docs/drivers.md can take it over. */
const HEAD = [
  `| ${['specification'.padEnd(NAME_WIDTH), ...COLUMNS.map(([name]) => name)].join(' | ')} |`,
  `| ${['-'.repeat(NAME_WIDTH), ...COLUMNS.map(([name]) => `${'-'.repeat(name.length - 1)}:`)].join(' | ')} |`,
];

function countsLine(name: string, rows: readonly Row[]): string {
  const counts = COLUMNS.map(([head, isIn]) => String(rows.filter(isIn).length).padStart(head.length));
  return `| ${[name.padEnd(NAME_WIDTH), ...counts].join(' | ')} |`;
}

function shareText({ passed, of }: Share): string {
  return `${passed} of ${of} passed${of > 0 ? `, ${((100 * passed) / of).toFixed(1)} %,` : ''}`;
}
