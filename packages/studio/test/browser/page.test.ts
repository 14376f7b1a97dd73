import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { toFragment } from '../../src/core/edit/fragment.ts';
import { launchChromium } from './chromium.ts';
import { linkTo, putPage } from './putPage.ts';

// The page as `npm run build` makes it.

let browser: Browser;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'studio-'));
  putPage(folder);
  browser = await launchChromium();
});

afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});

test('it plays from file:, and asks for nothing but its own files', async () => {
  const page = await browser.newPage();
  const complaints: string[] = [];
  const requests: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => void (message.type() === 'error' && complaints.push(message.text())));
  page.on('request', (request) => requests.push(request.url()));
  const at = pathToFileURL(folder).href;
  await page.goto(linkTo(folder));
  await page.getByRole('heading', { name: /^When the primary dies/ }).waitFor();
  expect(complaints).toEqual([]);
  expect(requests.filter((url) => !url.startsWith(`${at}/`) && !url.startsWith('blob:'))).toEqual([]);
});

/** A scenario with an index, and a document in it. */
const indexed = (keys: string, document: string) =>
  [
    'name: It is indexed',
    'steps:',
    '  - eventually: { within: 30s, primary: any }',
    `  - createIndex: { in: app.p, keys: ${keys} }`,
    `  - insert: { into: app.p, documents: [${document}] }`,
  ].join('\n');
const opened = async (text: string) => {
  const page = await browser.newPage();
  await page.goto(`${pathToFileURL(folder).href}/index.html#${toFragment({ text, atMicros: 0 })}`);
  return page;
};

test.for<[what: string, keys: string, document: string, disguised: string]>([
  ['places', '{ loc: 2dsphere }', '{ loc: { type: Point, coordinates: [1, 2] } }', '{ loc: "\\x32dsphere" }'],
  ['searches by words', '{ title: text }', '{ title: the words of it }', '{ title: "t\\x65xt" }'],
])('it fetches what knows of %s where a scenario asks for them', async ([what, keys, document, disguised]) => {
  const page = await opened(indexed(keys, document));
  await page.locator('.verdict.held').waitFor();
  // Nobody would write it so; whoever did is told, and nothing is passed over.
  await (await opened(indexed(disguised, document))).getByText(`this page knows nothing of ${what}`).first().waitFor();
});

test('it loads in a moment', () => {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  const kilobytes = (isMeant: (name: string) => boolean) =>
    files
      .filter(({ name }) => isMeant(name))
      .map(({ name, parentPath }) => gzipSync(readFileSync(join(parentPath, name)), { level: 9 }).length / 1000)
      .reduce((sum, size) => sum + size, 0);
  const sizes = {
    page: kilobytes((name) => !LATER.includes(name) && !NOTICES.test(name)),
    ...Object.fromEntries(LATER.map((later) => [later, kilobytes((name) => name === later)])),
  };
  const told = Object.entries(sizes).map(([name, size]) => `${name} ${size.toFixed()} kB`);
  console.log(`gzipped: ${told.join(', ')}`);
  expect(sizes.page).toBeLessThan(MOST_KILOBYTES);
  for (const size of Object.values(sizes)) expect(size).toBeGreaterThan(0);
});

/** Nobody waits for them: they are fetched when somebody wants to see all scenarios, to write, or to search places and words. */
const LATER = ['scenarios.js', 'editor.js', 'whole.js'];
/** Lie beside the page; it does not ask for them. */
const NOTICES = /THIRD-PARTY-NOTICES\.txt$/;
/** All else, gzipped: what comes before a first lesson can be walked through. */
const MOST_KILOBYTES = 780;
