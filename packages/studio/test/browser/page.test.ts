import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildPage, linkTo } from './buildPage.ts';
import { launchChromium } from './chromium.ts';

// The page as `npm run build` makes it.

let browser: Browser;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'studio-'));
  await buildPage(folder);
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

test('it loads in a moment', () => {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  const size = (isLater: boolean) =>
    files
      .filter(({ name }) => (name === LATER) === isLater)
      .map(({ name, parentPath }) => gzipSync(readFileSync(join(parentPath, name))).length)
      .reduce((sum, size) => sum + size / 1000, 0);
  console.log(`the page, gzipped: ${size(false).toFixed()} kB, and ${size(true).toFixed()} kB of scenarios on demand`);
  expect(size(false)).toBeLessThan(MOST_KILOBYTES);
  expect(size(true)).toBeGreaterThan(0);
});

/** Nobody waits for it: it is fetched when somebody wants to see all scenarios. */
const LATER = 'scenarios.js';
/** All else, gzipped: so that nothing large comes in unseen. */
const MOST_KILOBYTES = 850;
