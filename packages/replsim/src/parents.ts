import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { clearInterval, setInterval } from 'node:timers';

/** How often a process that ends with its parent looks for that. */
const LOOK_MS = 500;

const RUNNERS = new Set([
  'npm',
  'npx',
  'npm-cli.js',
  'npx-cli.js',
  'pnpm',
  'pnpx',
  'pnpm.cjs',
  'yarn',
  'yarn.js',
  'bunx',
]);
const SHELLS = new Set(['sh', 'ash', 'bash', 'dash', 'zsh']);

/** A process, as the system shows it. */
export interface SeenProcess {
  readonly parent: number;
  /** Its command line, or the title that it has given itself. */
  readonly words: readonly string[];
}

/** `npm exec …` is the title that npm and npx give themselves; others are scripts that Node.js runs. */
function isRunner({ words: [first = '', second = ''] }: SeenProcess): boolean {
  return RUNNERS.has(basename(first)) || (basename(first).startsWith('node') && RUNNERS.has(basename(second)));
}

function isShell({ words: [first = ''] }: SeenProcess): boolean {
  return SHELLS.has(basename(first));
}

/**
 * The parent, and where it belongs to npx or the like, those before it, up to the process that called npx: npm and the shell between
 * go on when that one is killed.
 */
export function startersOf(parent: number, look: (pid: number) => SeenProcess | undefined): readonly number[] {
  const starters = [parent];
  let seen = look(parent);
  while (seen !== undefined && seen.parent > 1) {
    const next = look(seen.parent);
    const leadsOn = isRunner(seen) || (isShell(seen) && next !== undefined && isRunner(next));
    if (!leadsOn) break;
    starters.push(seen.parent);
    seen = next;
  }
  return starters;
}

/** Windows shows none of it, and then the parent alone is watched. */
export function lookAt(pid: number): SeenProcess | undefined {
  try {
    return process.platform === 'linux' ? fromProc(pid) : fromPs(pid);
  } catch {
    return undefined;
  }
}

function fromProc(pid: number): SeenProcess {
  // The name in parentheses may hold anything.
  const [, parent] = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return { parent: Number(parent), words: readFileSync(`/proc/${pid}/cmdline`, 'utf8').split(/[\0 ]+/) };
}

function fromPs(pid: number): SeenProcess {
  const shown = execFileSync('ps', ['-o', 'ppid=,args=', '-p', String(pid)], { encoding: 'utf8', stdio: 'pipe' });
  const [parent, ...words] = shown.trim().split(/\s+/);
  return { parent: Number(parent), words };
}

function runs(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It belongs to somebody else, and is there.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Calls `stop` when one of those that have started this process is gone: an orphan gets another parent, and no signal tells it. */
export function whenStarterGone(stop: () => void, parent: number = process.ppid): void {
  const own = process.ppid;
  const starters = startersOf(parent, lookAt);
  const timer = setInterval(() => {
    if (process.ppid === own && starters.every(runs)) return;
    clearInterval(timer);
    stop();
  }, LOOK_MS);
  timer.unref();
}
