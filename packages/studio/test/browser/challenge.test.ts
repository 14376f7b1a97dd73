import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { toFragment } from '../../src/core/edit/fragment.ts';

import { launchChromium } from './chromium.ts';
import { goTo, lentPage } from './lentPage.ts';
import { putPage } from './putPage.ts';
import { wrongLooks } from './wrongLooks.ts';

// A challenge sets a task; what one does is judged by the run.

let browser: Browser;
let folder: string;
let address: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'studio-'));
  putPage(folder);
  address = `${pathToFileURL(folder).href}/index.html`;
  browser = await launchChromium();
});

afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});

async function opened(at = address, viewport = { width: 1280, height: 800 }): Promise<Page> {
  const page = await lentPage(browser, { viewport });
  await goTo(page, at);
  return page;
}

const FIRST = readFileSync(new URL('../../../../scenarios/challenges/01-elect-another.yaml', import.meta.url), 'utf8');
const linkTo = (text: string) => `${address}#${toFragment({ text, atMicros: 0 })}`;
const withSteps = (...steps: string[]) =>
  FIRST.replace(/( {2}- advance: \{ to)/, `${steps.map((each) => `  - ${each}\n`).join('')}$1`);
const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name, exact: typeof name === 'string' });
const judged = (page: Page) => page.locator('.challenge .judged');

test('the start page lists twelve; one that a click solves is kept, and leads to the next', async () => {
  const page = await opened();
  const list = page.locator('.challenges button');
  expect(await list.count()).toBe(12);
  await list.first().click();
  await page.locator('.challenge .task').getByText('n1 must not be running at the end').waitFor();
  await judged(page).getByText('Not solved yet.').waitFor();
  await page.locator('.goals .missing').getByText('n1 is PRIMARY').waitFor();
  // By the keyboard: the votes that elected it still fly in front of it.
  await page.getByRole('button', { name: /^n1 PRIMARY/ }).press('Enter');
  await button(page, /^kill/).first().click();
  await judged(page).getByText('Solved.', { exact: true }).waitFor();
  await button(page, 'next challenge: Divide a set so that nobody is elected').click();
  await page.locator('.challenge .task').getByText('Divide the set').waitFor();
  await button(page, 'all lessons').click();
  await list.first().getByText('✓ solved').waitFor();
  expect(await page.locator('.challenges .done').count()).toBe(1);
  await page.reload();
  await page.locator('.challenges .done').waitFor();
});

test('it opens when the set has its primary, and not in STARTUP', async () => {
  const page = await opened(linkTo(FIRST));
  await judged(page).getByText('Not solved yet.').waitFor();
  await page.locator('[data-member=n1] title').getByText('n1 PRIMARY').first().waitFor({ state: 'attached' });
});

test('hints come one at a time, and one asks why of the end of the run', async () => {
  const page = await opened(linkTo(withSteps('kill: n1', 'kill: n2')));
  await judged(page).getByText('1 of 2 goals').waitFor();
  const hints = page.locator('.challenge .hints li');
  expect(await hints.count()).toBe(0);
  await button(page, 'give me a hint').click();
  expect(await hints.count()).toBe(1);
  await button(page, 'another hint').click();
  await button(page, 'another hint').click();
  expect(await hints.count()).toBe(3);
  await page.getByText('These were all hints.').waitFor();
  await button(page, 'ask why').click();
  await page.getByRole('heading', { name: /Why is there no primary at/ }).waitFor();
  await page.locator('.why li').first().waitFor();
  expect(await page.locator('.time .controls output').first().textContent()).toContain('60.0');
});

test('what stood in the way is shown to whoever asks', async () => {
  const page = await opened(linkTo(withSteps('kill: n1', 'kill: n2')));
  await button(page, 'why not?').click();
  await page.locator('.goals .reasons li').first().waitFor();
});

test('a step that the task does not allow, and a run that fails, are not judged, and say so', async () => {
  const page = await opened(linkTo(withSteps('pause: n1')));
  await judged(page).getByText('Not judged: this challenge does not allow "pause"').waitFor();
  const other = await opened(linkTo(withSteps('kill: n1', 'expect: { primary: n1 }')));
  await judged(other).getByText('Not judged, because the run failed before its end').waitFor();
});

test('on a phone the task is what one sees, and nothing looks wrong', async () => {
  const page = await opened(linkTo(FIRST), { width: 390, height: 844 });
  await judged(page).getByText('Not solved yet.').waitFor();
  await button(page, 'give me a hint').click();
  expect(await wrongLooks(page)).toEqual([]);
});

test('a challenge that is no part of the page leads nowhere, and is judged all the same', async () => {
  const page = await opened(linkTo(withSteps('kill: n1').replace('n1 must not', 'Nobody named n1 may')));
  await judged(page).getByText('Solved.', { exact: true }).waitFor();
  await page.waitForFunction('globalThis.replsimScenarios !== undefined');
  expect(await button(page, /^next challenge/).count()).toBe(0);
});

test('a lesson that is over has three challenges of its own, which lead on to the next lesson', async () => {
  const text = readFileSync(
    new URL('../../../../scenarios/lessons/03-why-an-even-number-gains-nothing.yaml', import.meta.url),
    'utf8',
  );
  const page = await opened(`${address}#${toFragment({ text, atMicros: 0, reading: 'lesson' })}`);
  await page.getByText(/\d right, \d to come/).waitFor();
  await page.keyboard.press('n');
  while (!(await page.locator('.ending').isVisible())) {
    const shown = button(page, 'show me');
    if (await shown.isVisible()) await shown.click();
    else await button(page, 'next ▸').click();
  }
  const ways = page.locator('.ending .challenge-way');
  await ways.nth(2).waitFor();
  expect(await ways.count()).toBe(3);
  expect(await wrongLooks(page)).toEqual([]);
  await ways.nth(2).click();
  await page.locator('.challenge .task').getByText('two must be down').waitFor();
  const last = readFileSync(new URL('../../../../scenarios/challenges/lesson-03/3.yaml', import.meta.url), 'utf8');
  await goTo(page, linkTo(last.replace('  - advance: {', '  - kill: [n1, n2]\n$&')));
  await judged(page).getByText('Solved.', { exact: true }).waitFor();
  await button(page, /^next lesson: /).waitFor();
});
