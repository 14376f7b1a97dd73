import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Reading, toFragment } from '../../src/core/edit/fragment.ts';
import { choose, openText } from './choose.ts';
import { launchChromium } from './chromium.ts';
import { goTo, lentPage } from './lentPage.ts';
import { putPage } from './putPage.ts';
import { wrongLooks } from './wrongLooks.ts';

// A lesson leads through a run, and gives nothing away before it is asked.

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

const LESSON = `name: Two of three are enough
description: A primary dies, and two members are left.
begin: with a primary
hide: start
replicaSet: { members: [n1, n2, n3] }
steps:
  - act: Somebody dies
  - note: n1 takes writes, and an election is far.
  - focus: [n1, set]
  - kill: n1
  - ask: { question: Who takes writes 15 s later?, answer: primary, in: 15s }
  - advance: 20s
  - act: Somebody else takes over
  - note: Two of three have voted.
  - ask: { question: In which term is n2?, answer: { term: n2 }, choices: [0, 1, 2] }
  - advance: 5s
  - note: So it is.
`;
const FAILOVER = `name: A failover
begin: with a primary
steps:
  - kill: n1
  - advance: 20s
  - eventually: { within: 10s, primary: any }
  - insert: { into: app.orders, documents: [{ _id: 1 }], writeConcern: { w: majority } }
`;

async function opened(text: string, reading: Reading): Promise<Page> {
  const page = await lentPage(browser, { viewport: { width: 1280, height: 900 } });
  await goTo(page, `${pathToFileURL(folder).href}/index.html#${toFragment({ text, atMicros: 0, reading })}`);
  await page.getByText(/\d right, \d to come/).waitFor();
  return page;
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const now = async (page: Page) =>
  Number.parseFloat((await page.locator('.time .controls output').first().textContent()) ?? '');
/** Goes on to where the reader is asked, or to the end. */
async function goOn(page: Page): Promise<void> {
  while (!(await button(page, 'next ▸').isDisabled())) await button(page, 'next ▸').click();
}

/** What the lesson itself says. */
const said = (page: Page, text: string | RegExp) => page.locator('.lesson').getByText(text);

/** What of it stands in the page, be it hidden. */
async function found(page: Page, secrets: RegExp): Promise<string[]> {
  const all = (await page.evaluate('document.body.outerHTML')) as string;
  return [...all.matchAll(new RegExp(secrets, 'g'))].map(([text]) => text);
}

test('a lesson is walked to its end by clicks, a wrong and a right answer are marked, and nothing is given away', async () => {
  const page = await opened(LESSON, 'lesson');
  await said(page, 'A primary dies, and two members are left.').waitFor();
  expect(await said(page, 'Who takes writes 15 s later?').count()).toBe(0);
  await goOn(page);
  await said(page, 'Who takes writes 15 s later?').waitFor();
  const secrets =
    /wins term 2|PRIMARY in term 2|term 2 |accepts writes, in term 2|Somebody else takes|have voted|all held/;
  expect(await found(page, secrets)).toEqual([]);
  expect(await button(page, 'next ▸').isDisabled()).toBe(true);
  await button(page, 'n1').click();
  await said(page, '✗ Not so.').waitFor();
  await said(page, /You said n1; the run says: n[23]/).waitFor();
  await goOn(page);
  await said(page, 'In which term is n2?').waitFor();
  expect(await found(page, secrets)).toEqual([]);
  await page.locator('.lesson').getByRole('button', { name: '2', exact: true }).click();
  await said(page, '✓ Right.').waitFor();
  await button(page, 'why?').click();
  await page.locator('.why li').first().waitFor();
  await goOn(page);
  await said(page, 'That was the lesson.').waitFor();
  await said(page, 'So it is.').waitFor();
  await said(page, '1 of 2 right, 0 to come').waitFor();
  expect(await found(page, secrets)).not.toEqual([]);
});

test('a lesson is walked to its end by the keyboard alone', async () => {
  const page = await opened(LESSON, 'lesson');
  for (let i = 0; i < 3; i++) await page.keyboard.press('n');
  await said(page, 'Who takes writes 15 s later?').waitFor();
  await page.keyboard.press('2');
  await page.keyboard.press('n');
  await said(page, 'In which term is n2?').waitFor();
  await page.keyboard.press('0');
  await said(page, 'The run says: 2').waitFor();
  await page.keyboard.press('N');
  await said(page, 'Two of three have voted.').waitFor();
  await page.keyboard.press('P');
  await said(page, 'A primary dies, and two members are left.').waitFor();
  while (!(await button(page, 'next ▸').isDisabled())) await page.keyboard.press('n');
  await said(page, 'That was the lesson.').waitFor();
  await said(page, 'So it is.').waitFor();
  await page.keyboard.press('p');
  await said(page, 'Two of three have voted.').waitFor();
});

/** Presses a key, or clicks on what goes on, as soon as the page says that the lesson is there: before anything else can happen. */
const AT_ONCE = (pressed: string) => `new MutationObserver((_, looking) => {
  if (!document.querySelector('.lesson output')?.textContent.includes(' to come')) return;
  looking.disconnect();
  ${pressed};
}).observe(document, { childList: true, subtree: true, characterData: true });`;
const N = `document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'n', bubbles: true }))`;
const NEXT = `[...document.querySelectorAll('.lesson button')].find((each) => each.textContent === 'next ▸').click()`;

test.each([N, NEXT])('who goes on at once goes on from where the lesson begins: %s', async (pressed) => {
  const page = await opened(LESSON, 'lesson');
  await page.addInitScript(AT_ONCE(pressed));
  await page.reload();
  await said(page, 'n1 takes writes, and an election is far.').waitFor();
});

test('time that goes by stops where the reader is awaited', async () => {
  const page = await opened(LESSON, 'lesson');
  await goOn(page);
  await button(page, 'show me').click();
  await goOn(page);
  await button(page, 'show me').click();
  const began = await now(page);
  await choose(page, 'speed', '100 ×');
  await page.locator('h1').click();
  await page.keyboard.press(' ');
  await expect.poll(() => now(page)).toBeCloseTo(began + 15, 3);
  await page.keyboard.press(' ');
  await expect.poll(() => now(page)).toBeCloseTo(began + 20, 3);
});

test('what a lesson looks at stands out', async () => {
  const page = await opened(LESSON, 'lesson');
  const opacity = (of: string) => page.evaluate(`getComputedStyle(document.querySelector('${of}')).opacity`);
  const rooms = page.locator('.set [data-member]');
  await rooms.first().waitFor();
  expect(await opacity('.set [data-member=n2]')).toBe('1');
  await goOn(page);
  expect(await opacity('.set [data-member=n1]')).toBe('1');
  expect(await opacity('.set [data-member=n2]')).toBe('0.85');
  expect(await opacity('.oplogs')).toBe('0.85');
  // In other colours an entry would be of another term.
  expect(await page.evaluate("getComputedStyle(document.querySelector('.oplogs')).filter")).toBe('none');
});

test('an election is walked through as it went: who waits how long, who asks, who says yes, who leads', async () => {
  const text = readFileSync(
    new URL('../../../../scenarios/lessons/02-how-an-election-goes.yaml', import.meta.url),
    'utf8',
  );
  const page = await opened(text, 'lesson');
  /** @param seen in its picture, for which all of it is too long @param label what its label says */
  const shown = async (name: string, seen: string, label: string) => {
    const labelled = page.locator(`[aria-label*="${label}"]`);
    const member = page.locator(`.set [data-member=${name}]`).filter({ has: labelled });
    await member.locator('text', { hasText: seen }).first().waitFor();
  };
  const marks = page.locator('.timeline [data-member=n2] .mark');
  const stepped = new Map<string, number>();
  const places = new Set<string>();
  while ((await button(page, 'show me').count()) > 0 || !(await button(page, 'next ▸').isDisabled())) {
    const { x, y } = (await button(page, 'next ▸').boundingBox())!;
    places.add(`${x} ${y}`);
    if ((await page.locator('.captions').textContent()) === '') await page.keyboard.press('n');
    const caption = (await page.locator('.captions').textContent()) ?? '';
    if (!stepped.has(caption)) {
      stepped.set(caption, await now(page));
      if (caption.startsWith('Both have drawn')) {
        expect(await marks.count()).toBe(0);
        await shown('n2', 'more', 'stands at 22.511s');
        await shown('n3', 'more', 'stands at 23.942s');
      } else if (caption.startsWith('The other one would')) {
        await shown('n2', 'dry run: would you?', 'dry run: 1 of 2 needed');
        await shown('n3', 'yes to n2 (dry run)', 'yes to n2 in a dry run');
      } else if (caption.startsWith('Two of three')) {
        expect(await marks.allTextContents()).toEqual([expect.stringMatching(/^△\+1/)]);
      } else if (caption.startsWith('The other one has put')) {
        await shown('n2', 'asks for votes', 'election: 1 of 2 needed');
        await shown('n3', 'yes to n2', 'yes to n2 in term 2');
      }
    }
    if ((await button(page, 'show me').count()) > 0) await button(page, 'show me').click();
    else await button(page, 'next ▸').click();
  }
  const instants = [...stepped]
    .filter(([caption, at]) => caption !== '' && at > 22.4 && at < 22.542)
    .map(([, at]) => at);
  expect(instants.length).toBeGreaterThanOrEqual(7);
  // None stands on the picture of another.
  expect(new Set(instants).size).toBe(instants.length);
  expect(places.size).toBe(1);
});

test('a question says of which instant it asks', async () => {
  const page = await opened(LESSON, 'lesson');
  await goOn(page);
  const at = await now(page);
  await said(page, `It is ${at.toFixed(3)}s here; the question is about ${(at + 15).toFixed(3)}s.`).waitFor();
});

test('why is answered in sight, and says when the page has gone on', async () => {
  const page = await opened(LESSON, 'lesson');
  await goOn(page);
  await page.getByRole('button', { name: /^n3 SECONDARY/ }).click();
  await page.getByRole('button', { name: 'why not primary?' }).first().click();
  const why = page.getByRole('region', { name: 'Why' });
  await why.locator('li').first().waitFor();
  await expect.poll(() => page.evaluate("document.activeElement.getAttribute('aria-label')")).toBe('Why');
  const { y, height } = (await why.locator('li').first().boundingBox())!;
  expect(y >= 0 && y + height <= 900).toBe(true);
  expect(await why.getByText('The page shows another instant now.').count()).toBe(0);
  for (let i = 0; i < 2; i++) {
    await button(page, 'show me').click();
    await goOn(page);
  }
  await why.getByText('The page shows another instant now.').waitFor();
  await why.getByRole('button', { name: 'ask of this one' }).click();
  await why.getByText('The page shows another instant now.').waitFor({ state: 'detached' });
  await why.getByRole('heading', { name: `at ${(await now(page)).toFixed(3)}s` }).waitFor();
});

test('a verdict stands where it is given, and comes back with its reason where it comes true', async () => {
  const page = await opened(LESSON, 'lesson');
  await goOn(page);
  await button(page, 'n1').click();
  await said(page, '✗ Not so.').waitFor();
  expect(await button(page, 'why?').count()).toBe(0);
  await goOn(page);
  await said(page, 'In which term is n2?').waitFor();
  expect(await said(page, '✗ Not so.').count()).toBe(0);
  await page.keyboard.press('3');
  await said(page, '✓ Right.').waitFor();
  await page.keyboard.press('n');
  await said(page, '✗ Not so.').waitFor();
  await button(page, 'why?').click();
  await page.locator('.why li', { hasText: /wins term 2/ }).waitFor();
  await page.keyboard.press('n');
  await said(page, 'Two of three have voted.').waitFor();
  await expect.poll(async () => (await page.locator('.chapters').boundingBox())?.y).toBeGreaterThanOrEqual(0);
});

test('with another seed the lesson begins again', async () => {
  const page = await opened(LESSON, 'lesson');
  await goOn(page);
  await button(page, 'show me').click();
  await goOn(page);
  await button(page, 'show me').click();
  await goOn(page);
  await page.getByLabel('seed').fill('2');
  await said(page, '0 of 0 right, 2 to come').waitFor();
  await said(page, 'A primary dies, and two members are left.').waitFor();
  const [at, end] = ((await page.locator('.time .controls output').first().textContent()) ?? '').split(' of ');
  expect(Number.parseFloat(at!)).toBeLessThanOrEqual(Number.parseFloat(end!));
});

test('a lesson that looks at data opens them, and whoever is there may look elsewhere', async () => {
  const page = await opened(LESSON.replace('focus: [n1, set]', 'focus: [n1, data]'), 'lesson');
  await goOn(page);
  const tab = (name: string) => page.getByRole('tab', { name, exact: true });
  await page.getByRole('tab', { name: 'data', selected: true }).waitFor();
  await tab('story').click();
  await page.getByRole('tab', { name: 'story', selected: true }).waitFor();
});

test('a click in a lesson makes a scenario of it, of which nothing is veiled', async () => {
  const page = await opened(LESSON, 'lesson');
  await openText(page);
  await page.getByText('The text would give away the answers').waitFor();
  await page.getByRole('button', { name: /^n3 SECONDARY/ }).click();
  await button(page, 'kill').click();
  await page.locator('.cm-line', { hasText: 'kill: n3' }).waitFor();
  expect(await page.locator('.lesson').count()).toBe(0);
  await page.locator('.verdict.held, .verdict.failed').waitFor();
});

/** Looks, until the run is there, whether the page has had a text. */
const TEXT_BEFORE_RUN = `new MutationObserver((_, looking) => {
  window.hadText ||= document.querySelector('.plain-text') !== null;
  if (window.hadText || document.body?.textContent.includes(' to come')) looking.disconnect();
}).observe(document, { childList: true, subtree: true });`;

test('the text of a lesson is there to be read; its editor comes to whoever goes there, and writing leaves the lesson', async () => {
  const page = await opened(LESSON, 'lesson');
  await page.addInitScript(TEXT_BEFORE_RUN);
  // Another test may have loaded the editor.
  await page.reload();
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  // What may be shown, and whether something comes next, is known with the run.
  await said(page, '0 of 0 right, 2 to come').waitFor();
  expect(await page.evaluate('window.hadText')).toBe(false);
  while ((await button(page, 'show me').count()) > 0 || !(await button(page, 'next ▸').isDisabled()))
    await button(page, 'show me').or(button(page, 'next ▸')).first().click();
  await openText(page);
  const text = page.getByRole('textbox', { name: 'The scenario' });
  expect(await text.inputValue()).toBe(LESSON);
  expect(requests.filter((url) => url.includes('editor.js'))).toEqual([]);
  await text.click({ position: { x: 60, y: 12 } });
  await page.locator('.cm-focused').waitFor();
  expect(await page.locator('.lesson').count()).toBe(1);
  await page.keyboard.type('!');
  await page.locator('.lesson').waitFor({ state: 'detached' });
  expect(await page.locator('.cm-line').first().textContent()).toMatch(/^name: .*!/);
});

test('a lesson is left for the free page, and a link keeps how it is read', async () => {
  const page = await opened(LESSON, 'lesson');
  await page.reload();
  await said(page, '0 of 0 right, 2 to come').waitFor();
  await button(page, 'leave the lesson').click();
  await openText(page);
  await page.locator('.cm-line', { hasText: 'kill: n1' }).waitFor();
  await page.locator('.verdict.held').waitFor();
});

describe('a quiz on a failover', () => {
  test('asks, marks, and gives nothing away', async () => {
    const page = await opened(FAILOVER, 'quiz');
    await goOn(page);
    await said(page, 'An election begins. Who wins it?').waitFor();
    const known = await page.getByRole('list', { name: 'What you can know' }).getByRole('listitem').allTextContents();
    expect(known.map((line) => line.replace(/\(.*\)/, '(…)'))).toEqual([
      'n1 DOWN',
      'n2 SECONDARY, term 1, stands at (…)',
      'n3 SECONDARY, term 1, stands at (…)',
    ]);
    const secrets = /n[23] asks for votes|would vote|wins term 2|n[23] stands for/;
    expect(await found(page, secrets)).toEqual([]);
    await button(page, 'nobody').click();
    await said(page, /You said nobody; the run says: n[23]/).waitFor();
    await goOn(page);
    expect(await found(page, secrets)).not.toEqual([]);
    await said(page, 'Which other member has it first, within 10 s?').waitFor();
    await page.keyboard.press('1');
    await said(page, /[01] of 2 right, 0 to come/).waitFor();
    while (!(await button(page, 'next ▸').isDisabled())) await page.keyboard.press('n');
    await said(page, 'That was the quiz.').waitFor();
  });

  test('is a switch', async () => {
    const page = await opened(FAILOVER, 'lesson');
    await said(page, '0 of 0 right, 1 to come').waitFor();
    await choose(page, 'how', 'look around');
    await page.locator('.verdict.held').waitFor();
    await choose(page, 'how', 'quiz me');
    await said(page, '0 of 0 right, 2 to come').waitFor();
  });
});

test('a word says what it means, to the mouse and to the keyboard', async () => {
  const page = await opened(LESSON, 'lesson');
  await page.keyboard.press('n');
  const word = page.locator('.captions .word', { hasText: 'election' });
  const tip = page.getByRole('tooltip', { name: /a member asks the others for their votes/ });
  await word.hover();
  await expect.poll(() => tip.isVisible()).toBe(true);
  await page.locator('h1').hover();
  await expect.poll(() => tip.isVisible()).toBe(false);
  await word.focus();
  await expect.poll(() => tip.isVisible()).toBe(true);
  await page.keyboard.press('Escape');
  await expect.poll(() => tip.isVisible()).toBe(false);
});

test('nothing looks wrong', async () => {
  const page = await opened(LESSON, 'lesson');
  await goOn(page);
  await button(page, 'n1').click();
  await said(page, '✗ Not so.').waitFor();
  await page.locator('.captions .word').first().focus();
  expect(await wrongLooks(page)).toEqual([]);
});
