import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type WrittenModule, writeModule } from './modules/writeModule.ts';

const USAGE = `npm run tla -- --spec PATH/RaftMongo.tla --tlc PATH/tla2tools.jar [scenario files or folders]
npm run tla -- --out FOLDER [scenario files or folders]   # writes the modules, and checks nothing`;
/** What is checked if nothing is named: where the protocol is the matter. */
const DEFAULT_PATHS = ['scenarios/election', 'scenarios/rollback'];
const [OK, FAILED, BAD_INPUT] = [0, 1, 2];

/** Where what is said goes. */
export interface Said {
  out(text: string): void;
  err(text: string): void;
}

/**
 * Writes runs as TLA+ modules and has TLC check each as a behaviour of the RaftMongo that the user points to; with `--out`, only writes
 * them. Nothing is installed, and neither the specification nor TLC is shipped.
 * @param java what to call; a test has its own
 * @returns the exit code: 0 all are, 1 one is not, 2 something is missing
 */
export async function checkWithTlc(args: readonly string[], io: Said, java = 'java'): Promise<number> {
  const wanted = read(args);
  const missing = typeof wanted === 'string' ? [wanted] : missingOf(wanted, java);
  if (typeof wanted === 'string' || missing.length > 0) {
    io.err(`${missing.join('\n')}\n${USAGE}\n`);
    return BAD_INPUT;
  }
  const files = wanted.paths.flatMap(scenariosIn);
  const failed =
    wanted.out === undefined ? await checkAll(files, wanted, java, io) : await writeAll(files, wanted.out, io);
  return failed === 0 ? OK : FAILED;
}

async function checkAll(files: readonly string[], wanted: Wanted, java: string, io: Said): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'replsim-tla-'));
  let failed = 0;
  try {
    for (const file of files) {
      const said = await checkOne(file, folder, wanted, java);
      io.out(`${said.held ? 'ok     ' : 'FAILED '} ${file}: ${said.text}\n`);
      if (!said.held) failed += 1;
    }
    io.out(`${files.length - failed} of ${files.length} runs are behaviours of RaftMongo\n`);
  } finally {
    rmSync(folder, { recursive: true });
  }
  return failed;
}

async function writeAll(files: readonly string[], folder: string, io: Said): Promise<number> {
  mkdirSync(folder, { recursive: true });
  let failed = 0;
  for (const file of files) {
    const written = await writeModule(file, folder).catch((error: Error) => error);
    if (written instanceof Error) {
      failed += 1;
      io.err(`${file}: ${written.message}\n`);
    } else io.out(`${join(folder, `${written.name}.tla`)}: ${textOf(written)}\n`);
  }
  return failed;
}

interface Wanted {
  readonly spec: string;
  readonly tlc: string;
  /** A folder for the modules, where TLC is not asked. */
  readonly out: string | undefined;
  readonly paths: readonly string[];
}

function read(args: readonly string[]): Wanted | string {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { spec: { type: 'string' }, tlc: { type: 'string' }, out: { type: 'string' } },
      allowPositionals: true,
    });
    if (values.out !== undefined && (values.spec ?? values.tlc) !== undefined)
      return '--out only writes the modules: leave out --spec and --tlc';
    const paths = positionals.length > 0 ? positionals : DEFAULT_PATHS;
    return { spec: values.spec ?? '', tlc: values.tlc ?? '', out: values.out, paths };
  } catch (error) {
    return (error as Error).message;
  }
}

function missingOf(wanted: Wanted, java: string): string[] {
  const missing = wanted.out === undefined ? missingForTlc(wanted, java) : [];
  if (wanted.out !== undefined && isFile(wanted.out)) missing.push(`--out ${wanted.out}: it is a file, not a folder`);
  for (const path of wanted.paths) {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) missing.push(`${path}: no such file or folder`);
    else if (scenariosIn(path).length === 0)
      missing.push(`${path}: no scenarios here; they are files that end in .yaml`);
  }
  return missing;
}

function missingForTlc({ spec, tlc }: Wanted, java: string): string[] {
  const missing: string[] = [];
  if (basename(spec) !== 'RaftMongo.tla' || !isFile(spec))
    missing.push(
      `--spec ${spec || '(missing)'}: it has to be MongoDB's RaftMongo.tla, which is in the repository mongodb/mongo below src/mongo/tla_plus`,
    );
  if (!isFile(tlc))
    missing.push(`--tlc ${tlc || '(missing)'}: it has to be tla2tools.jar, a release of tlaplus/tlaplus`);
  const said = spawnSync(java, ['-version']);
  if (said.error !== undefined || said.status !== 0)
    missing.push('java: TLC needs a Java runtime, 11 or later, on the PATH');
  return missing;
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

function scenariosIn(path: string): string[] {
  if (isFile(path)) return [path];
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.yaml'))
    .sort()
    .map((name) => join(path, name));
}

async function checkOne(
  file: string,
  folder: string,
  { spec, tlc }: Wanted,
  java: string,
): Promise<{ held: boolean; text: string }> {
  const written = await writeModule(file, folder).catch((error: Error) => error);
  if (written instanceof Error) return { held: false, text: written.message };
  const { name, steps } = written;
  const text = textOf(written);
  if (steps === 0) return { held: true, text };
  const checked = spawnSync(
    java,
    [
      `-DTLA-Library=${resolve(dirname(spec))}`,
      '-cp',
      resolve(tlc),
      'tlc2.TLC',
      '-metadir',
      join(folder, 'states'),
      '-config',
      `${name}.cfg`,
      `${name}.tla`,
    ],
    { cwd: folder, encoding: 'utf8', maxBuffer: 1 << 28 },
  );
  // A step that TLC never came to was not checked: each has a state of its own, and there is the first.
  const states = /(\d+) distinct states found/.exec(checked.stdout ?? '')?.[1];
  const held = checked.status === 0 && Number(states) === steps + 1;
  return {
    held,
    text: held ? text : `${text}; TLC says\n${checked.stdout}${checked.stderr}${checked.error?.message ?? ''}`,
  };
}

function textOf({ steps, note }: WrittenModule): string {
  return [`${steps} steps`, ...(note === undefined ? [] : [note])].join('; ');
}
