import type { Merged, MergedArms } from '@replsim/explore';
import { foundFiles } from '../exploring/findings.ts';
import { chosenReporters, type ExploreReporterChoice, mustTell, openTold } from '../exploring/result.ts';
import { readText } from '../files.ts';
import { InputError, type Io } from '../io.ts';
import { measurementOf } from '../measuring/measurement.ts';
import { prepareFolder } from '../memberLogs.ts';
import { VERSION } from '../version.ts';
import { orInputError } from './explore.ts';
import { codeOf, type MeasureFormOptions, openForms } from './measure.ts';

export interface MergeOptions extends MeasureFormOptions {
  readonly reporter?: readonly ExploreReporterChoice[];
  readonly out?: string;
  /** Go on although there are runs that no report has. */
  readonly allowMissing?: boolean;
}

/** What belongs to reports of one kind only. */
const OF_EXPLORE = ['reporter', 'out'] as const;
const OF_MEASURE = ['csv', 'html', 'force'] as const;

/** `replsim merge`: what shards have come to together, as one process would have said it. */
export async function mergeCommand(paths: readonly string[], options: MergeOptions, io: Io): Promise<number> {
  const { merge, readReport } = await import('@replsim/explore');
  const merged = await orInputError(
    async () => merge(paths.map((path) => readReport(path, readText(path)))),
    'scenario.yaml',
  );
  const { question, missing } = merged;
  if (question.replsim !== VERSION)
    throw new InputError(
      `these reports are of replsim ${question.replsim}, and this is ${VERSION}: merge them with the release that wrote them`,
    );
  const isMeasured = 'arms' in merged;
  const senseless = (isMeasured ? OF_EXPLORE : OF_MEASURE).find((name) => options[name] !== undefined);
  if (senseless !== undefined)
    throw new InputError(
      `these are reports of ${isMeasured ? 'a measurement' : 'an exploration'}, to which --${senseless} does not belong: leave it out`,
    );
  if (missing.length > 0) {
    const what = `missing: ${missing.join('; ')}`;
    if (!options.allowMissing)
      throw new InputError(`${what}; name the reports that have them, or go on without with --allow-missing`);
    io.err(`${what}\n`);
  }
  return isMeasured ? tellMeasured(merged, paths, options, io) : tellExplored(merged, paths, options, io);
}

async function tellMeasured(
  { question: { title, seeds }, arms, tookMs, missing }: MergedArms,
  paths: readonly string[],
  options: MergeOptions,
  io: Io,
): Promise<number> {
  const forms = openForms(options, paths);
  try {
    const measurement = measurementOf({
      title,
      seeds,
      arms,
      tookMs,
      cutShort: missing.length > 0 ? 'missing' : undefined,
    });
    await forms.tell(measurement, io);
    return codeOf(measurement, io);
  } finally {
    forms.close();
  }
}

async function tellExplored(
  { question, explored, shrunk, tookMs, missing }: Merged,
  paths: readonly string[],
  options: MergeOptions,
  io: Io,
): Promise<number> {
  const isPart = missing.length > 0;
  const cutShort = isPart && explored.findings.length < question.stopAt ? 'missing' : undefined;
  mustTell({ question, explored, isPart, cutShort });
  if (options.out !== undefined) prepareFolder(options.out, '--out');
  const told = openTold(chosenReporters(options), paths, io);
  try {
    const found = foundFiles(question.file, explored.findings, shrunk, options.out);
    return await told.tell({ question, title: question.file, isPart, explored, cutShort, found, tookMs });
  } finally {
    told.close();
  }
}
