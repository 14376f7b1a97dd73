import { existsSync, statSync, writeFileSync } from 'node:fs';
import { plain, readText } from './files.ts';
import { diskFailure, InputError } from './io.ts';

/** The transcript that lies beside a scenario; undefined where nothing can: beside a pipe, which is read and gone. */
function transcriptPath(scenarioPath: string): string | undefined {
  if (!statSync(scenarioPath, { throwIfNoEntry: false })?.isFile()) return undefined;
  return `${scenarioPath.replace(/\.ya?ml$/, '')}.transcript`;
}

/** How a run's transcript compares with the one beside its scenario. */
export type Comparison = { readonly same: true } | { readonly same: false; readonly diff: string };

/** Undefined if there is none beside the scenario. @throws InputError if it cannot be read */
export function compareTranscript(scenarioPath: string, lines: readonly string[]): Comparison | undefined {
  const path = transcriptPath(scenarioPath);
  if (path === undefined || !existsSync(path)) return undefined;
  const expected = readText(path).trimEnd().split('\n');
  const first = expected.findIndex((line, i) => line !== lines[i]);
  if (first === -1 && expected.length === lines.length) return { same: true };
  return { same: false, diff: diffAt(path, expected, lines, first === -1 ? expected.length : first) };
}

const CONTEXT = 2;
const SHOWN = 5;

/** A few lines around the first difference: what follows from it would differ too. */
function diffAt(path: string, expected: readonly string[], actual: readonly string[], at: number): string {
  return [
    `--- ${path}`,
    '+++ this run',
    `@@ line ${at + 1} @@`,
    ...expected.slice(Math.max(at - CONTEXT, 0), at).map((line) => `  ${line}`),
    ...expected.slice(at, at + SHOWN).map((line) => `- ${line}`),
    ...actual.slice(at, at + SHOWN).map((line) => `+ ${line}`),
  ].join('\n');
}

/** Rewrites a transcript that exists, or makes one where `create` says so. @throws InputError if it cannot be written */
export function updateTranscript(scenarioPath: string, lines: readonly string[], create: boolean): boolean {
  const path = transcriptPath(scenarioPath);
  if (path === undefined) return false;
  const before = existsSync(path) ? readText(path) : undefined;
  if (!create && before === undefined) return false;
  const text = `${lines.join('\n')}\n`;
  // Whoever watches the file would take it for changed.
  if (text !== before) write(path, text);
  return true;
}

function write(path: string, text: string): void {
  try {
    writeFileSync(path, text);
  } catch (error) {
    if (diskFailure(error) !== undefined) throw error;
    throw new InputError(`cannot write the transcript: ${plain(path, error as NodeJS.ErrnoException)}`);
  }
}
