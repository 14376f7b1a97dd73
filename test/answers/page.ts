import { type Arm, comparisonsOf, type Measured, type MeasuredArm, summaryOf } from '@replsim/explore';
import { valueText } from '../../packages/cli/src/measuring/cells.ts';
import { comparisonLines } from '../../packages/cli/src/measuring/measuredText.ts';
import { QUESTIONS, type Question } from './questions.ts';

/** What was measured: by scenario, the runs of each variant, with the figures that are shown. */
export type Stored = Readonly<Record<string, readonly StoredArm[]>>;

export interface StoredArm {
  readonly name: string;
  readonly runs: readonly Measured[];
}

/** `docs/questions.md`. */
export function questionsPage(stored: Stored, seeds: number): string {
  return [
    '# Twelve questions, measured',
    '',
    `Each question has a scenario with [variants](measure.md#variants-what-if), played with the seeds 1 to ${seeds}. The tables show the median, the`,
    `greatest value and the seed that has it. \`npm run questions\` makes this page; a test plays samples again.`,
    'The numbers are those of a simulator with its default latencies: compare them with each other, and measure your own settings.',
    ...QUESTIONS.flatMap((question) => ['', ...chapter(question, stored[question.file] ?? [])]),
    '',
  ].join('\n');
}

function chapter({ file, question, answer, figures }: Question, stored: readonly StoredArm[]): string[] {
  const arms = stored.map(({ name, runs }): MeasuredArm => ({ arm: { name, text: '', file } satisfies Arm, runs }));
  const summaries = arms.map(summaryOf);
  const labels = figures.map(
    (key) => summaries.flatMap(({ rows }) => rows).find(({ figure }) => figure.key === key)?.figure.label ?? key,
  );
  const rows = summaries.map(({ name, rows }) => {
    const cells = figures.map((key) => {
      const row = rows.find(({ figure }) => figure.key === key);
      if (!row) return 'no run';
      const {
        figure,
        distribution: { median, max, runs },
      } = row;
      const some = runs < (stored[0]?.runs.length ?? 0) ? ` in ${runs} runs` : '';
      if (median.value === max.value) return `${valueText(max.value, figure.unit)}${some}`;
      return `${valueText(median.value, figure.unit)}, at most ${valueText(max.value, figure.unit)} #${max.seed}${some}`;
    });
    return `| ${[name, ...cells].join(' | ')} |`;
  });
  const [first] = summaries;
  const compared = comparisonsOf(arms)
    .filter(({ one }) => one === first?.name)
    .flatMap((each) => comparisonLines(each));
  return [
    ...[`## ${question}`, '', answer, '', `Scenario: [${file}](../scenarios/questions/${file}.yaml)`, ''],
    ...[`| variant | ${labels.join(' | ')} |`, `|---|${labels.map(() => '---|').join('')}`, ...rows, ''],
    ...['```', ...compared, '```'],
  ];
}
