import { appendFileSync } from 'node:fs';
import { plain } from '../files.ts';
import { diskFailure, InputError, type Io } from '../io.ts';
import { foldersOf } from './folders.ts';
import { countsLine, type Outcome, oneLine, type Played, type Reporter, wallText } from './reporter.ts';
import { escapeXml } from './xml.ts';

/** For GitHub Actions: failures as annotations at their file and line, and the job's summary where GitHub wants one. */
export function githubReporter(io: Io): Reporter {
  return {
    finished(outcome) {
      if (outcome.failure) io.out(annotation(outcome, outcome.failure));
    },
    ended(played) {
      if (io.stepSummary !== undefined) addToSummary(io.stepSummary, summary(played));
    },
  };
}

/** @throws InputError if the runner's file cannot be written */
export function addToSummary(file: string, markdown: string): void {
  try {
    appendFileSync(file, markdown);
  } catch (error) {
    if (diskFailure(error) !== undefined) throw error;
    const why = plain(file, error as NodeJS.ErrnoException);
    throw new InputError(`cannot write the job's summary (GITHUB_STEP_SUMMARY): ${why}`);
  }
}

/** A workflow command. What separates its parts is written as GitHub reads it back. */
export function annotation({ name, path, repeat }: Outcome, failure: NonNullable<Outcome['failure']>): string {
  const data = (text: string) => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
  const property = (text: string) => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
  const message = [failure.title, failure.detail, `repeat with: ${repeat}`].filter(Boolean).join('\n');
  return `::error title=${property(name)},file=${property(path)},line=${failure.line}::${data(message)}\n`;
}

/** Markdown: counts, folders, failures to unfold. */
function summary({ outcomes, tookMs }: Played): string {
  const folders = foldersOf(outcomes.map(({ path }) => path));
  const rows = [...new Set(folders.values())].map((folder) => {
    const inIt = outcomes.filter(({ path }) => folders.get(path) === folder);
    const failed = inIt.filter(({ ok }) => !ok).length;
    return `| ${folder.replaceAll('|', '\\|')} | ${inIt.length - failed} | ${failed} |`;
  });
  const failures = outcomes.flatMap(({ failure, name, path, repeat }) => {
    if (!failure) return [];
    const text = escapeXml([failure.title, failure.detail, `repeat with: ${repeat}`].filter(Boolean).join('\n'));
    // Markdown reads HTML up to a blank line, but what begins with this element up to its end.
    return `<details><summary>${escapeXml(oneLine(name))} (${escapeXml(path)})</summary>\n\n<pre>${text}</pre>\n\n</details>\n`;
  });
  const head = `### replsim: ${countsLine(outcomes)} in ${wallText(tookMs)}`;
  return `${[head, '', '| folder | held | failed |', '|---|---|---|', ...rows, '', ...failures].join('\n')}\n`;
}
