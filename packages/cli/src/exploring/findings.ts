import { existsSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Finding, Shrunk } from '@replsim/explore';
import type { Io } from '../io.ts';
import { type Found, findingComment } from './exploredText.ts';
import type { TrialPlayer } from './player.ts';

/** Of a finding: so that a large one ends, too. */
export const SHRINK_RUNS = 2000;

/** What is left of each finding, by the number of its run. @param isOver asked between runs */
export async function shrunkOf(
  findings: readonly Finding[],
  play: TrialPlayer['play'],
  isOver: () => boolean,
  io: Pick<Io, 'err' | 'progress'>,
): Promise<ReadonlyMap<number, Shrunk>> {
  const { shrink } = await import('@replsim/explore');
  const all = new Map<number, Shrunk>();
  for (const [i, { text, seed, run }] of findings.entries()) {
    if (io.progress) io.err(`\r\x1b[Kshrinking ${i + 1} of ${findings.length}`);
    const shrunk = await shrink(text, { seed, play, runs: SHRINK_RUNS, isOver });
    if (io.progress) io.err('\r\x1b[K');
    if (shrunk) all.set(run, shrunk);
  }
  return all;
}

/** The scenarios that are left, each in a file of its own if there is a folder for them. */
export function foundFiles(
  path: string,
  findings: readonly Finding[],
  shrunk: ReadonlyMap<number, Shrunk>,
  out: string | undefined,
): readonly Found[] {
  return findings.map((finding) => {
    const small = shrunk.get(finding.run);
    const text = headed(small ?? finding, findingComment(path, finding, small));
    const file = out === undefined ? undefined : freeName(out, basename(path).replace(/\.ya?ml$/, ''));
    if (file !== undefined) writeFileSync(file, text);
    return { finding, shrunk: small, text, file };
  });
}

/** A name that nothing has yet: what was found before stays. */
function freeName(folder: string, name: string): string {
  for (let n = 1; ; n++) {
    const file = join(folder, `${name}-${n}.yaml`);
    if (!existsSync(file)) return file;
  }
}

/** A scenario under a comment that says where it comes from; what was written above it before said something of all of it. */
export function headed(
  { text, failure }: { readonly text: string; readonly failure: { readonly title: string } },
  from: string,
): string {
  const body = text.replace(/^(#.*\n|\s*\n)*/, '');
  const lines = [`what fails: ${failure.title}`, ...from.split('\n')];
  return `${lines.map((line) => `# ${line}`).join('\n')}\n${body}`;
}
