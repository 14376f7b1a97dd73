import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { formatInstant } from '@replsim/kernel';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Likeness, likenessOf } from '../../src/core/compare/likeness.ts';
import { type Traced, tracedPlayer } from '../../src/core/compare/tracedPlayer.ts';
import { differing } from '../../src/core/edit/differing.ts';
import { toFragment } from '../../src/core/edit/fragment.ts';
import { ScenarioPlayer } from '../../src/core/run/play.ts';
import { choose, chosenOf, openText } from './choose.ts';
import { launchChromium } from './chromium.ts';
import { goTo, lentPage } from './lentPage.ts';
import { putPage } from './putPage.ts';
import { wrongLooks } from './wrongLooks.ts';

// Two runs side by side: what the page says of them is what Node finds.

const FAILOVER = readFileSync(new URL('../../../../scenarios/election/failover-on-kill.yaml', import.meta.url), 'utf8');
let browser: Browser;
let folder: string;
let address: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'studio-compare-'));
  putPage(folder);
  address = `${pathToFileURL(folder).href}/index.html`;
  browser = await launchChromium();
});

afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});

const LINK = toFragment({ text: FAILOVER, atMicros: 0 });

/** The page in a fresh profile, once its first run is over. */
async function opened(at = `${address}#${LINK}`, width = 1280): Promise<Page> {
  const page = await lentPage(browser, { viewport: { width, height: 900 } });
  await goTo(page, at);
  await page.locator('header .verdict.held').waitFor();
  return page;
}

async function comparing(width?: number): Promise<Page> {
  const page = await opened(undefined, width);
  await page.getByRole('button', { name: 'compare' }).click();
  await figures(page).waitFor();
  return page;
}

const figures = (page: Page) => page.getByRole('table', { name: 'Both runs in figures' });
const row = (page: Page, name: string) => figures(page).getByRole('row', { name });
const now = (page: Page) => page.locator('.controls output').textContent();
const panel = (page: Page) => page.getByRole('region', { name: 'Two runs' });
const KINDS = {
  seed: 'another seed',
  setting: 'another setting',
  version: 'another version',
  writeConcern: 'another write concern',
  text: 'what I write in the other text',
} as const;
const differsBy = (page: Page, what: keyof typeof KINDS) => choose(page, 'the same scenario with', KINDS[what]);

/** How far the bars of a run go. Unit: px. */
async function lanesEnd(page: Page, run: 'first' | 'second'): Promise<number> {
  const bars = await page.locator(`[data-run="${run}"] rect.stretch`).all();
  const ends = bars.map(async (bar) => Number(await bar.getAttribute('x')) + Number(await bar.getAttribute('width')));
  return Math.max(...(await Promise.all(ends)));
}

async function played(text: string): Promise<Traced> {
  const found: Traced[] = [];
  await tracedPlayer(new ScenarioPlayer(), (traced) => found.push(traced)).play(text, undefined, () => {});
  return found[0]!;
}

async function likenessWith(difference: Parameters<typeof differing>[1]): Promise<Likeness> {
  const second = differing(FAILOVER, difference);
  return likenessOf(await played(FAILOVER), await played('text' in second ? second.text : ''));
}

test('two seeds: where they part is said, marked, and gone to', async () => {
  const { parted, told } = await likenessWith({ kind: 'seed', seed: 2 });
  const page = await comparing();
  await panel(page).getByText('seed is 1 in the first, 2 in the second').waitFor();
  await panel(page).getByText(`in event ${parted!.number} they differ:`).waitFor();
  for (const [button, at, mark] of [
    ['≠ go to the first difference', parted!.atMicros, 'the first difference'],
    ['≠ go to where the story differs', told!.atMicros, 'the story differs'],
  ] as const) {
    await page.getByRole('button', { name: button, exact: true }).click();
    expect(await now(page)).toMatch(new RegExp(`^${formatInstant(at).replace('.', '\\.')} of`));
    const titles = page.locator('.apart title');
    const texts = await titles.allTextContents();
    const index = texts.indexOf(`${formatInstant(at)} ${mark}`);
    expect(index, texts.join()).toBeGreaterThanOrEqual(0);
    // The mark stands where the line of the instant stands now.
    const marked = await page.locator('.apart line').nth(index).getAttribute('x1');
    expect(await page.locator('.timeline line.now').getAttribute('x1')).toBe(marked);
  }
});

test('both sets are there at one instant, and both runs in lanes', async () => {
  const page = await comparing();
  await page.getByRole('button', { name: '≠ go to where the story differs' }).click();
  await page.locator('.timeline').press('End');
  const box = (await page.locator('.timeline').boundingBox())!;
  await page.locator('.timeline').click({ position: { x: box.width * 0.96, y: box.height / 2 } });
  for (const name of ['The set of the run', 'The set of the second run']) {
    const set = page.getByRole('figure', { name });
    await set.getByRole('button', { name: /^n2 / }).waitFor();
    expect(await set.getByRole('button', { name: /PRIMARY/ }).count()).toBe(1);
  }
  for (const run of ['first', 'second'])
    expect(await page.locator(`[data-run="${run}"] .stretch`).count()).toBeGreaterThan(3);
  const [one, other] = await Promise.all(
    ['The set of the run', 'The set of the second run'].map((name) => page.getByRole('figure', { name }).boundingBox()),
  );
  expect(one!.y).toBe(other!.y);
});

test('a link opens the same two runs at the same instant', async () => {
  const page = await comparing();
  await differsBy(page, 'writeConcern');
  await page
    .getByRole('listitem')
    .filter({ hasText: /^second, line 9: .*w: 1 }/ })
    .waitFor();
  await page.locator('.words', { hasText: 'input, at' }).waitFor();
  await page.getByRole('button', { name: '≠ go to the first difference' }).click();
  const before = page.url();
  await page.keyboard.press(']');
  await page.waitForURL((url) => url.href !== before);
  const seen = [await now(page), await figures(page).textContent(), await page.locator('.words').textContent()];
  const other = await opened(page.url());
  await figures(other).waitFor();
  expect([await now(other), await figures(other).textContent(), await other.locator('.words').textContent()]).toEqual(
    seen,
  );
  expect(await chosenOf(other, 'the same scenario with').textContent()).toBe(KINDS.writeConcern);
});

test('another version, and a setting', async () => {
  const { parted } = await likenessWith({ kind: 'version', version: '7.0' });
  const page = await comparing();
  await differsBy(page, 'version');
  await panel(page).getByText('version is "8.0" in the first, "7.0" in the second').waitFor();
  await panel(page).getByText(`in event ${parted!.number} they differ:`).waitFor();
  await differsBy(page, 'setting');
  await panel(page)
    .getByText('options.settings.electionTimeoutMillis')
    .or(panel(page).getByText('options is absent'))
    .first()
    .waitFor();
  // Who waits less is done earlier, and the lanes of that run end there.
  await expect
    .poll(async () => (await lanesEnd(page, 'first')) - (await lanesEnd(page, 'second')))
    .toBeGreaterThan(100);
  await page.getByLabel('setting', { exact: true }).fill('settings.electionTimeoutMilis');
  await panel(page)
    .getByText(/cannot be played: line \d+: .*electionTimeoutMillis/)
    .waitFor();
  await page.getByLabel('setting', { exact: true }).fill('electionTimeoutMillis');
  await panel(page).getByText('The second text is unchanged: name a setting').waitFor();
  // What is meant is in a list below the field, for the arrows and for the mouse.
  const setting = page.getByRole('combobox', { name: 'setting', exact: true });
  const suggested = page.getByRole('listbox', { name: 'Suggestions: setting' }).getByRole('option');
  await setting.press('ArrowDown');
  expect(await suggested.allTextContents()).toEqual(['settings.electionTimeoutMillis']);
  await setting.press('Enter');
  expect(await setting.inputValue()).toBe('settings.electionTimeoutMillis');
  expect(await suggested.count()).toBe(0);
  await setting.click();
  await suggested.filter({ hasText: 'heartbeatIntervalMillis' }).click();
  expect(await setting.inputValue()).toBe('settings.heartbeatIntervalMillis');
  expect(await suggested.count()).toBe(0);
});

test('the same seed is the same run, event by event', async () => {
  const { equal } = await likenessWith({ kind: 'text', text: FAILOVER });
  const page = await comparing();
  await page.getByLabel('second seed').fill('1');
  await panel(page).getByText(`The two runs are the same, event by event: ${equal} events.`).waitFor();
  await row(page, 'first difference none').waitFor();
  expect(await figures(page).locator('.differs').count()).toBe(0);
});

test('a click is a line of both texts, until the second is written by hand', async () => {
  const page = await comparing();
  await openText(page);
  await page.getByRole('button', { name: '≠ go to where the story differs' }).click();
  await page.getByText('the second text', { exact: true }).click();
  const second = page.getByRole('textbox', { name: 'The second scenario' });
  await second.waitFor();
  await page.getByRole('figure', { name: 'The set of the second run' }).getByRole('button', { name: /^n3 / }).click();
  await page.getByRole('button', { name: 'pause', exact: true }).click();
  await second.getByText('pause: n3').waitFor();
  await page.getByRole('textbox', { name: 'The scenario', exact: true }).getByText('pause: n3').waitFor();
  await second.getByText('kill: primary').click();
  await page.keyboard.press('End');
  await page.keyboard.type(' # here');
  await page.getByText('the second is a text of its own').waitFor();
  expect(await chosenOf(page, 'the same scenario with').textContent()).toBe(KINDS.text);
  await page.getByText('second, line').filter({ hasText: 'kill: primary # here' }).waitFor();
  expect(await page.getByRole('textbox', { name: 'The scenario', exact: true }).textContent()).not.toContain('# here');
});

test('both runs go on behind a check that fails', async () => {
  const text = [
    'name: Five documents are expected, and there is none',
    'steps:',
    '  - eventually: { within: 30s, primary: any }',
    '  - expect: { on: primary, count: app.c, is: 5 }',
    '  - advance: 60s',
    '',
  ].join('\n');
  const page = await lentPage(browser, { viewport: { width: 1280, height: 900 } });
  await goTo(page, `${address}#${toFragment({ text, atMicros: 0 })}`);
  await page.locator('header .verdict.failed').waitFor();
  await page.getByRole('button', { name: 'compare' }).click();
  await figures(page).waitFor();
  // The check fails after some twelve of seventy seconds.
  expect(await lanesEnd(page, 'first')).toBeGreaterThan(0.9 * (await lanesEnd(page, 'second')));
  await page.locator('header .verdict.failed').waitFor();
});

test('the reasons of the second run are its own', async () => {
  const page = await comparing();
  await page.getByRole('tab', { name: 'story of the second run' }).click();
  const line = page.getByRole('listitem').filter({ hasText: 'wins term 2' }).last();
  await page.getByRole('button', { name: '≠ go to where the story differs' }).click();
  await page.locator('h1').click();
  await page.locator('.timeline').press('End');
  await line.getByRole('button', { name: /why/ }).click();
  await page.locator('.why').first().waitFor();
  expect(await page.locator('.why').count()).toBe(1);
  // In the first run nobody has asked for anything.
  expect(await page.getByText('Above, the first run').count()).toBe(0);
});

test('leaving it, by the key too, shows one run again', async () => {
  const page = await comparing();
  const before = page.url();
  await page.locator('h1').click();
  await page.keyboard.press('c');
  await panel(page).waitFor({ state: 'detached' });
  expect(await page.getByRole('figure', { name: 'The set of the second run' }).count()).toBe(0);
  expect(await page.getByRole('slider', { name: 'Time of the run' }).count()).toBe(1);
  await page.waitForURL((url) => url.href !== before);
  const other = await opened(page.url());
  expect(await panel(other).count()).toBe(0);
  await page.keyboard.press('c');
  await figures(page).waitFor();
});

test.for([1280, 390])('at %d pixels nothing goes over the edge', async (width) => {
  const page = await comparing(width);
  await page.getByText('the second text', { exact: true }).click();
  // The text, and then the editor in its place.
  await page.getByRole('textbox', { name: 'The second scenario' }).first().waitFor();
  for (const kind of ['seed', 'setting', 'version', 'writeConcern'] as const) {
    await differsBy(page, kind);
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
  }
  const [one, other] = await Promise.all(
    ['The set of the run', 'The set of the second run'].map((name) => page.getByRole('figure', { name }).boundingBox()),
  );
  if (width === 390) expect(other!.y).toBeGreaterThanOrEqual(one!.y + one!.height);
  else expect(other!.x).toBeGreaterThanOrEqual(one!.x + one!.width);
});

test('nothing looks wrong', async () => {
  const page = await comparing();
  await page.getByRole('button', { name: '≠ go to where the story differs' }).click();
  await page.getByText('the second text', { exact: true }).click();
  await page.getByRole('textbox', { name: 'The second scenario' }).first().waitFor();
  expect(await wrongLooks(page)).toEqual([]);
});
