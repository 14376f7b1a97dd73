import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildPage } from './buildPage.ts';
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
  await page.goto(`${at}/index.html`);
  await page.getByRole('heading', { name: /^When the primary dies/ }).waitFor();
  expect(complaints).toEqual([]);
  expect(requests.filter((url) => !url.startsWith(`${at}/`) && !url.startsWith('blob:'))).toEqual([]);
});

test('it loads in a moment', () => {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  const sizes = files.map(({ name, parentPath }) => gzipSync(readFileSync(join(parentPath, name))).length);
  const kilobytes = Math.round(sizes.reduce((sum, size) => sum + size) / 1000);
  console.log(`the page, gzipped: ${kilobytes} kB`);
  expect(kilobytes).toBeLessThan(MOST_KILOBYTES);
});

/** The whole page, gzipped: so that nothing large comes in unseen. */
const MOST_KILOBYTES = 850;
