import { execFile } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));
export const published = join(root, 'packages/replsim');

/** A program of the repository's dependencies. */
export const bin = (path: string) => join(root, 'node_modules', path);

/** What `npm pack --json` says of a tarball. */
export interface Packed {
  readonly filename: string;
  /** Of all files in it. Unit: bytes. */
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

/** Builds what is published anew, below `folder`, and packs it into a tarball in that folder, as npm does. */
export async function packInto(folder: string): Promise<Packed> {
  const staged = join(folder, 'package');
  for (const file of ['package.json', 'jest-preset.json', 'README.md', 'LICENSE', 'bin'])
    cpSync(join(published, file), join(staged, file), { recursive: true });
  await succeed(run(root, process.execPath, bin('typescript/bin/tsc'), '-b', published));
  // In a process of its own: the runner of these tests has packages resolved otherwise than Node does.
  const bundling = `import { build } from 'rolldown';
    import { bundlesIn } from ${JSON.stringify(pathToFileURL(join(published, 'rolldown.config.js')).href)};
    for (const bundle of bundlesIn(${JSON.stringify(join(staged, 'dist/bundle'))})) await build({ ...bundle, logLevel: 'silent' });`;
  await succeed(run(published, process.execPath, '--input-type=module', '-e', bundling));
  const page = ['build', '--logLevel', 'error', '--outDir', join(staged, 'dist/studio')];
  await succeed(run(join(root, 'packages/studio'), process.execPath, bin('vite/bin/vite.js'), ...page));
  cpSync(join(root, 'packages/scenario/schema.json'), join(staged, 'dist/schema.json'));
  const said = await succeed(run(staged, 'npm', 'pack', '--json', '--loglevel', 'error', '--pack-destination', folder));
  const packed = JSON.parse(said);
  return Array.isArray(packed) ? packed[0] : packed.replsim;
}

export interface Ran {
  /** What it said, on both streams. */
  readonly said: string;
  /** Of its exit code. */
  readonly failed: boolean;
}

/** Runs a program, of which the runner of these tests is no business. */
export function run(cwd: string, program: string, ...args: readonly string[]): Promise<Ran> {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(VITEST|VITE_|NODE_|TEST$|JEST|npm_)/.test(name));
  const env = { ...Object.fromEntries(inherited), NO_COLOR: '1' };
  return new Promise((resolve) => {
    execFile(program, args, { cwd, env, timeout: 280_000, maxBuffer: 2 ** 26 }, (error, stdout, stderr) =>
      resolve({ said: `${error ? `${error.message}\n` : ''}${stdout}${stderr}`, failed: error !== null }),
    );
  });
}

export async function succeed(running: Promise<Ran>): Promise<string> {
  const { said, failed } = await running;
  if (failed) throw new Error(said);
  return said;
}
