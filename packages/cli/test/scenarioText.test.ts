import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync, inflateSync } from 'node:zlib';
import { ReplSet } from '@replsim/replset';
import { parseScenario, playScenario } from '@replsim/scenario';
import { serialize } from 'bson';
import { expect, test } from 'vitest';
import { main } from '../src/main.ts';
import { testIo } from './io.ts';

const folder = mkdtempSync(join(tmpdir(), 'insertFile-'));
writeFileSync(join(folder, 'docs.jsonl'), '{"_id":1,"price":"$5"}\n{"_id":2,"at":{"$date":"2025-01-01T00:00:00Z"}}\n');
writeFileSync(join(folder, 'dump.bson.gz'), gzipSync(Buffer.concat([serialize({ _id: 3 }), serialize({ _id: 4 })])));
writeFileSync(join(folder, 'broken.json'), '{"_id":1}\n{"_id":}\n');

function scenario(name: string, steps: string): string {
  const path = join(folder, name);
  writeFileSync(path, `name: Documents of files\nsteps:\n  - eventually: { primary: any, within: 30s }\n${steps}`);
  return path;
}

const good = scenario(
  'good.yaml',
  `  - insert: { into: app.a, file: docs.jsonl, writeConcern: majority }
  - insert:
      into: app.a
      file: "dump.bson.gz" # packed
      writeConcern: { w: 3 }
  - expect: { on: all, count: app.a, is: 4 }
`,
);

test('the documents of files are inserted, and the transcript shows the names of the files', async () => {
  const io = testIo();
  expect(await main(['run', good], io)).toBe(0);
  expect(io.stdout).toContain('insert: {into: app.a, file: docs.jsonl, writeConcern: majority}');
  expect(io.stdout).not.toContain('bson:');
});

test.each([
  ['why', ['why', good, 'primary']],
  ['draw', ['draw', good, '--at', '10s']],
  ['check', ['check', good]],
  ['measure', ['measure', good, '--seeds', '1..2']],
  ['explore', ['explore', good, '--runs', '3', '--mode', 'seeds']],
])('%s plays such a scenario', async (_, args) => {
  const drawings = async () => () => ({ instant: String, stretch: String });
  const io = Object.assign(testIo(), { drawings });
  expect([await main([...args], io), io.stderr]).toEqual([0, expect.any(String)]);
});

test('a page that holds the run holds the documents', async () => {
  const studioPage = pathToFileURL(`${join(folder, 'page')}/`);
  mkdirSync(join(folder, 'page/assets'), { recursive: true });
  const scripts = ['index.js', 'core.js', 'shared.js', 'desk.js', 'editor.js'];
  for (const name of ['assets/a.css', ...scripts]) writeFileSync(join(folder, 'page', name), '');
  const head = '<head><script defer src="./index.js?1a2b"></script></head>';
  writeFileSync(join(folder, 'page/index.html'), `<html>${head}<body></body></html>`);
  const page = join(folder, 'run.html');
  expect(await main(['run', good, '--html', page], Object.assign(testIo(), { studioPage }))).toBe(0);
  const link = /id="link">([^<]+)</.exec(readFileSync(page, 'utf8'))?.[1] ?? '';
  const { text } = JSON.parse(inflateSync(Buffer.from(link, 'base64url')).toString()) as { text: string };
  const { ok } = await playScenario(parseScenario(text, 'page.yaml'), (options) => ReplSet.create(options));
  expect(ok).toBe(true);
});

test('where no file can be read, the message says what to do', () => {
  expect(() => parseScenario(readFileSync(good, 'utf8'), 'page.yaml')).toThrow(
    /"docs.jsonl" cannot be read here: .*[\s\S]*play it on the command line/,
  );
});

test.each([
  ['missing.json', 'bad.yaml:4:34: missing.json: ', 'it does not exist'],
  ['broken.json', 'bad.yaml:4:34: broken.json: line 2: expected a JSON value', ''],
  ['docs.csv', 'bad.yaml:4:34: docs.csv: ', 'it does not exist'],
])('%s is reported at its place in the scenario', async (file, place, why) => {
  const io = testIo();
  const path = scenario('bad.yaml', `  - insert: { into: app.a, file: ${file} }\n`);
  expect(await main(['run', path], io)).toBe(2);
  expect(io.stderr).toContain(place);
  expect(io.stderr).toContain(why);
});
