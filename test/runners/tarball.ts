import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { expect, onTestFinished, test } from 'vitest';
import { type Packed, root, run, succeed } from './packed.ts';

/** With all that it needs, as it lies in `node_modules`. Unit: bytes. */
const MAX_SIZE = 21_000_000;
/** What may be in it, and nothing else: no sources, no state of tsc, no compiled code of this machine. */
const FILES = [
  /^(package\.json|README\.md|LICENSE|jest-preset\.json)$/,
  /^bin\/(\w+\.js|package\.json)$/,
  /^dist\/schema\.json$/,
  /^dist\/bundle\/[\w.-]+\.cjs(\.map)?$/,
  /^dist\/bundle\/[\w-]+(\.js|\.js\.map|\.d\.c?ts)$/,
  /^dist\/(bundle|studio)\/(EDITOR-|WHOLE-)?THIRD-PARTY-NOTICES\.txt$/,
  /^dist\/studio\/(index\.html|(base|index|shared|desk|door|core|scenarios|editor|whole)\.js)$/,
  /^dist\/studio\/assets\/style-.{8}\.css$/,
];

/** Bundles that are loaded when they are called for: `LAZY` in `rolldown.config.js`. */
const LATE = ['geo', 'text', 'regex', 'scenario'];

/** Which nobody imports. */
const LOADED_BY_JEST = ['./jest/environment', './jest/jest-preset', './jest/setup'];

interface Installed {
  readonly tarball: Packed;
  /** In whose `node_modules` it is, and where the tarball lies. */
  readonly project: string;
}

/** What holds of what is published, before anybody uses it. */
export function aboutTarball(installed: () => Installed): void {
  const folder = () => join(installed().project, 'node_modules/replsim');
  const text = (path: string) => readFileSync(join(folder(), path), 'utf8');
  const bytes = () => new Uint8Array(readFileSync(join(installed().project, installed().tarball.filename)));
  const manifest = () => JSON.parse(text('package.json'));
  const sources = () =>
    readdirSync(join(folder(), 'dist/bundle'))
      .filter((file) => file.endsWith('.map'))
      .map((file) => JSON.parse(text(`dist/bundle/${file}`)) as { sources: string[]; sourcesContent?: unknown });

  test('is small, and needs nothing else', () => {
    const { unpackedSize } = installed().tarball;
    expect(unpackedSize).toBeLessThan(MAX_SIZE);
    expect(text('README.md')).toContain(`npm installs one package of ${Math.round(unpackedSize / 1e6)} MB,`);
    const { dependencies, optionalDependencies, scripts, peerDependenciesMeta, peerDependencies } = manifest();
    expect({ dependencies, optionalDependencies }).toEqual({});
    expect(Object.keys(scripts)).toEqual(['build']);
    for (const name of Object.keys(peerDependencies)) expect(peerDependenciesMeta[name]).toEqual({ optional: true });
  });

  test('holds what it should, and nothing else', () => {
    const files = installed().tarball.files.map(({ path }) => path);
    expect(files.filter((path) => !FILES.some((allowed) => allowed.test(path)))).toEqual([]);
    for (const allowed of FILES) expect(files).toContainEqual(expect.stringMatching(allowed));
    expect(text('LICENSE')).toBe(readFileSync(join(root, 'LICENSE'), 'utf8'));
    expect(text('dist/schema.json')).toBe(readFileSync(join(root, 'packages/scenario/schema.json'), 'utf8'));
  });

  test('carries each file once, and none of the sources', () => {
    const all = sources().flatMap((map) => map.sources);
    expect(all).toContain('../../packages/replsim/src/replicaSet.ts');
    expect(all).toEqual([...new Set(all)]);
    expect(sources().filter(({ sourcesContent }) => sourcesContent !== undefined)).toEqual([]);
  });

  test('has the licence of each package that is bundled', () => {
    const names = sources()
      .flatMap((map) => map.sources)
      .flatMap((source) => /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules)/.exec(source)?.[1] ?? []);
    expect(names).toContain('bson');
    const notices = text('dist/bundle/THIRD-PARTY-NOTICES.txt').split(/\n-{80}\n\n/);
    for (const name of new Set(names)) {
      const notice = notices.find((each) => each.startsWith(`${name} `));
      expect(notice, name).toMatch(
        /^\S+ [\d.]+ \((MIT|ISC|Apache-2\.0|0BSD|BSD-[23]-Clause)\)\n\n[\s\S]*(Permission|Licensed|Apache License|Redistribution)/,
      );
    }
    const ofPage = ['', 'EDITOR-', 'WHOLE-'].map((of) => text(`dist/studio/${of}THIRD-PARTY-NOTICES.txt`)).join('');
    const { dependencies } = JSON.parse(readFileSync(join(root, 'packages/studio/package.json'), 'utf8'));
    const others = Object.keys(dependencies).filter((name) => !name.startsWith('@replsim/'));
    // What searches places and words is another package's.
    // One of these has nothing of its own: it hands on what others have.
    for (const name of [...others, 's2js', 'porter2', '@orama/stemmers'])
      expect(ofPage).toMatch(
        new RegExp(`^## ${name === 'radix-ui' ? '@radix-ui/\\S+' : name} - [\\d.]+ \\(.*\\)$`, 'm'),
      );
  });

  test('publint finds nothing', async () => {
    const { messages } = await publint({ pack: { tarball: bytes().buffer }, strict: true });
    expect(messages.map((message) => formatMessage(message, manifest(), { color: false }))).toEqual([]);
  });

  test('attw finds nothing', async () => {
    const found = await checkPackage(createPackageFromTarballData(bytes()), { excludeEntrypoints: LOADED_BY_JEST });
    expect(found).toMatchObject({ types: { kind: 'included' }, problems: [] });
  });

  test('whoever starts a set loads nothing of what few need', async () => {
    // Without what is kept, bundles are modules as others are, which Node lists.
    const program = `import { createRequire } from 'node:module';
      import { ReplicaSet } from 'replsim';
      const set = await ReplicaSet.start({ members: 3 });
      await set.stop();
      for (const file of Object.keys(createRequire(import.meta.url).cache)) console.log(file);`;
    const args = [process.execPath, '--input-type=module', '-e', program];
    const { said } = await run(installed().project, 'env', 'NODE_DISABLE_COMPILE_CACHE=1', ...args);
    const loaded = [...said.matchAll(/\/(\w+)-[\w-]{8}\.cjs$/gm)].map(([, name]) => name);
    expect(loaded).toContain('replset');
    const late = installed().tarball.files.flatMap(({ path }) => /\/(\w+)-[\w-]{8}\.cjs$/.exec(path)?.[1] ?? []);
    for (const name of LATE) {
      expect(late).toContain(name);
      expect(loaded).not.toContain(name);
    }
  });

  test('without the package level a set has no disk, and says how to come by one', async () => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'replsim-tarball-'));
    onTestFinished(() => rmSync(elsewhere, { recursive: true }));
    await succeed(run(elsewhere, 'tar', '-xzf', join(installed().project, installed().tarball.filename)));
    const command = [join(elsewhere, 'package/bin/replsim.js'), 'serve', '--port', '0', '--quiet'];
    const { said, failed } = await run(elsewhere, process.execPath, ...command, '--dbpath', 'data');
    expect(failed).toBe(true);
    expect(said).toMatch(/data\/n1 cannot be used \(Cannot find module 'level'\): .*npm install --save-dev level@10/);
    expect(readdirSync(elsewhere)).toEqual(['package']);
  });
}
