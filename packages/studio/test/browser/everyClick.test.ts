import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseScenario } from '@replsim/scenario';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fromFragment, type Shared, toFragment } from '../../src/core/edit/fragment.ts';
import { launchChromium } from './chromium.ts';
import { putPage } from './putPage.ts';

// A click kills a member in the middle of what the start page has: the text has a line for that, and is as right as it was.

const SCENARIOS = fileURLToPath(new URL('../../../../scenarios/', import.meta.url));
const files = readdirSync(SCENARIOS, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.yaml'))
  .sort();
const read = (file: string) => readFileSync(SCENARIOS + file, 'utf8');
const folderOf = (file: string) => file.replace(/\/.*/, '');
const firsts = files.filter((file, i) => i === 0 || folderOf(file) !== folderOf(files[i - 1]!));
/** Every third lesson and one scenario of every sixth folder, whose next run is waited for. */
const lessons = files.filter((file) => folderOf(file) === 'lessons');
const waited = files.filter((file) => lessons.indexOf(file) % 3 === 0 || firsts.indexOf(file) % 6 === 0);
/** The others take minutes, and come each night by `npm run browser:every`. */
const others = process.env.EVERY_SCENARIO === undefined ? [] : files.filter((file) => !waited.includes(file));

let folder: string;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'studio-'));
  putPage(folder);
  browser = await launchChromium();
  page = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage();
  await page.goto(`${pathToFileURL(folder).href}/index.html`);
});
afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});

// Long runs take their time where others work beside them.
const settled = () => page.locator('header .verdict.held, header .verdict.failed').waitFor({ timeout: 110_000 });
const textNow = () => fromFragment(new URL(page.url()).hash.slice(1))?.text;

/** Shows a scenario in the page that is open: a link within it loads nothing. */
async function show(shared: Shared): Promise<void> {
  await page.evaluate(`new Promise((shown) => {
    addEventListener('popstate', () => requestAnimationFrame(() => setTimeout(shown)), { once: true });
    location.hash = '${toFragment(shared)}';
  })`);
}

/** Kills the first member that runs; where there are many, their states are written in short. */
async function kill(before: string): Promise<void> {
  const member = page.getByRole('button', {
    name: /^\S+ (PRI(MARY)?|SEC(ONDARY)?|STARTUP2?|START|SYNC|REC(OVERING)?|ROLL(BACK)?|ARB(ITER)?|STA(NDALONE)?)\b/,
  });
  await member.first().click();
  await doing('kill').click();
  await expectLine(before, /\bkill: \w+/);
}

const doing = (name: string) => page.getByRole('button', { name, exact: true });

/** The text has one line more, and no mistakes. An editor draws no line that is out of sight: the link says what the text is. */
async function expectLine(before: string, line: RegExp): Promise<void> {
  await expect.poll(textNow, { timeout: 60_000 }).not.toBe(before);
  const after = textNow() ?? '';
  const were = before.split('\n');
  const added = after.split('\n').filter((each) => !were.includes(each));
  expect(added.join('\n')).toMatch(line);
  expect(() => parseScenario(after, 'clicked.yaml'), after).not.toThrow();
}

async function goToTheMiddle(): Promise<void> {
  const timeline = page.locator('.timeline');
  const { width, height } = (await timeline.boundingBox())!;
  await timeline.click({ position: { x: width * (0.06 + 0.925 * 0.5), y: height / 2 } });
}

async function killInTheMiddle(file: string): Promise<void> {
  await show({ text: read(file), atMicros: 0 });
  await settled();
  await goToTheMiddle();
  await kill(read(file));
}

test('an empty scenario', async () => {
  await page.getByRole('button', { name: 'an empty scenario', exact: true }).click();
  await settled();
  await goToTheMiddle();
  await kill(textNow() ?? '');
  await settled();
  expect(await page.locator('header .verdict').textContent()).not.toContain('mistake');
});

describe('in the middle of a run that is over, and the next one comes to its end', () => {
  test.for(waited)('%s', async (file) => {
    await killInTheMiddle(file);
    await settled();
    expect(await page.locator('header .verdict').textContent()).not.toContain('mistake');
  });
});

// The next run is not waited for: what the click wrote is as right as the file was.
describe.runIf(others.length > 0)('in the middle of every other scenario', () => {
  test.for(others)('%s', (file) => killInTheMiddle(file));
});
