import { foundFiles } from '../exploring/findings.ts';
import { chosenReporters, type ExploreReporterChoice, mustTell, openTold } from '../exploring/result.ts';
import { readText } from '../files.ts';
import { InputError, type Io } from '../io.ts';
import { prepareFolder } from '../memberLogs.ts';
import { VERSION } from '../version.ts';
import { orInputError } from './explore.ts';

export interface MergeOptions {
  readonly reporter?: readonly ExploreReporterChoice[];
  readonly json?: boolean;
  readonly out?: string;
  /** Go on although there are runs that no report has. */
  readonly allowMissing?: boolean;
}

/** `replsim merge`: what shards have found together, as one process would have said it. */
export async function mergeCommand(paths: readonly string[], options: MergeOptions, io: Io): Promise<number> {
  const { merge, readReport } = await import('@replsim/explore');
  const { question, explored, shrunk, tookMs, missing } = await orInputError(
    async () => merge(paths.map((path) => readReport(path, readText(path)))),
    'scenario.yaml',
  );
  if (question.replsim !== VERSION)
    throw new InputError(
      `these reports are of replsim ${question.replsim}, and this is ${VERSION}: merge them with the release that wrote them`,
    );
  if (missing.length > 0) {
    const what = `missing: ${missing.join('; ')}`;
    if (!options.allowMissing)
      throw new InputError(`${what}; name the reports that have them, or go on without with --allow-missing`);
    io.err(`${what}\n`);
  }
  mustTell({ question, explored });
  if (options.out !== undefined) prepareFolder(options.out, '--out');
  const told = openTold(chosenReporters(options), paths, io);
  try {
    const found = foundFiles(question.file, explored.findings, shrunk, options.out);
    const isPart = missing.length > 0;
    return await told.tell({ question, title: question.file, isPart, explored, found, tookMs });
  } finally {
    told.close();
  }
}
