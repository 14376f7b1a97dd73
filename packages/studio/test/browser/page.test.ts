import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createContext, runInContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { toFragment } from '../../src/core/edit/fragment.ts';
import type {} from '../../src/core/run/parts.ts';
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

test('it plays from a folder of a server, and asks for nothing outside of it', async () => {
  const server = createServer(({ url = '' }, response) => {
    const name = /^\/blog\/studio\/([\w./-]*)/.exec(url)?.[1];
    if (name === undefined || !existsSync(join(folder, name || 'index.html'))) response.writeHead(404).end();
    else {
      const type = { js: 'text/javascript', css: 'text/css' }[name.split('.').at(-1) ?? ''] ?? 'text/html';
      response.writeHead(200, { 'content-type': type }).end(readFileSync(join(folder, name || 'index.html')));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const page = await browser.newPage();
  const missing: string[] = [];
  page.on('response', (response) => void (response.ok() || missing.push(response.url())));
  const { port } = server.address() as AddressInfo;
  await page.goto(linkTo(folder).replace(/^.*index\.html/, `http://127.0.0.1:${port}/blog/studio/`));
  await page.getByRole('heading', { name: /^When the primary dies/ }).waitFor();
  await page.locator('.verdict.held').waitFor();
  expect(missing.filter((url) => !url.endsWith('/favicon.ico'))).toEqual([]);
  await page.close();
  server.close();
});

test('panels have the room that somebody gave them, the next time too', async () => {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.goto(linkTo(folder));
  await page.locator('.verdict.held').waitFor();
  const separator = page.locator('.separator[aria-orientation="horizontal"]').last();
  const timeHeight = async () => (await page.locator('.panel.time').boundingBox())!.height;
  const before = await timeHeight();
  const { x, y, width } = (await separator.boundingBox())!;
  await page.mouse.move(x + width / 2, y);
  await page.mouse.down();
  await page.mouse.move(x + width / 2, y - 90, { steps: 4 });
  await page.mouse.up();
  const after = await timeHeight();
  expect(after).toBeGreaterThan(before + 60);
  await page.reload();
  await page.locator('.verdict.held').waitFor();
  expect(Math.abs((await timeHeight()) - after)).toBeLessThan(4);
  await page.close();
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

test.for<[how: string, keys: string, document: string]>([
  ['it sees in the text', '{ loc: 2dsphere }', '{ loc: { type: Point, coordinates: [1, 2] } }'],
  ['it sees when the run asks for it', '{ title: "t\\x65xt" }', '{ title: the words of it }'],
])('it fetches what is rare where a scenario needs it: %s', async ([, keys, document]) => {
  const page = await opened(indexed(keys, document));
  await page.locator('.verdict.held').waitFor();
  expect(await page.getByText('this page knows nothing of').count()).toBe(0);
});

test('it loads in a moment', () => {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  const sizeOf = (isMeant: (name: string) => boolean, of: (text: string) => string) =>
    files
      .filter(({ name }) => isMeant(name))
      .map(({ name, parentPath }) => gzipSync(of(readFileSync(join(parentPath, name), 'utf8')), { level: 9 }).length)
      .reduce((sum, size) => sum + size / 1000, 0);
  const size = {
    first: sizeOf(isFirst, (text) => text.replaceAll(FONT, '')),
    ...Object.fromEntries(
      LATER.map((later) => [
        later,
        sizeOf(
          (name) => name === later,
          (text) => text,
        ),
      ]),
    ),
    fonts: sizeOf(
      (name) => name.endsWith('.css'),
      (text) => (text.match(FONT) ?? []).join(''),
    ),
  } as Readonly<Record<string, number>>;
  const told = Object.entries(size).map(([name, kilobytes]) => `${name} ${kilobytes.toFixed()} kB`);
  console.log(`gzipped: ${told.join(', ')}`);
  for (const later of LATER) expect(size[later]).toBeGreaterThan(0);
  const apart = ['scenarios.js', 'whole.js'];
  const together = LATER.filter((name) => !apart.includes(name)).reduce((sum, name) => sum + size[name]!, size.first!);
  expect(size.first).toBeLessThan(MOST.beforeTheFirstClick);
  expect(together).toBeLessThan(MOST.together);
  expect(size.fonts).toBeLessThan(MOST.fonts);
});

test('what the page loads later is there as functions that it has not called', () => {
  const read = (name: string) => readFileSync(join(folder, name), 'utf8');
  const self: Record<string, unknown> = {};
  const context = createContext({ self });
  runInContext(read('base.js'), context);
  const { entries, bodies } = self.replsimParts as typeof replsimParts;
  const { files, parts } = entries.core!;
  // It would ask for what only a worker has.
  for (const name of files) runInContext(read(name), context);
  const texts = parts.map((part) => String(bodies[part]));
  for (const text of texts) expect(text).toMatch(/^function\(require,exports\)/);
  expect(texts.at(-1)).toContain('this page knows nothing of');
});

/** Fetched when the page is idle or somebody needs it: what is drawn of a run, what plays it, the editor; all scenarios, and searches. */
const LATER = ['shared.js', 'desk.js', 'door.js', 'core.js', 'editor.js', 'scenarios.js', 'whole.js'];
const isFirst = (name: string) => !LATER.includes(name) && !NOTICES.test(name);
/** The faces stand in the style sheet, as a page that is a file may fetch none; they count apart. */
const FONT = /data:font\/woff2;base64,[A-Za-z0-9+/=]+/g;
/** Lie beside the page; it does not ask for them. */
const NOTICES = /THIRD-PARTY-NOTICES\.txt$/;
/** Unit: kB, gzipped. Together are all that somebody needs who writes a scenario; scenarios are texts, and `whole.js` comes in place of another. */
const MOST = { beforeTheFirstClick: 250, together: 900, fonts: 100 };
