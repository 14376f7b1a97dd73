import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fromFragment } from '../../src/core/edit/fragment.ts';
import { openText } from './choose.ts';
import { launchChromium } from './chromium.ts';
import { goTo, lentPage } from './lentPage.ts';
import { linkTo, putPage } from './putPage.ts';
import { wrongLooks } from './wrongLooks.ts';

// What is clicked becomes a line of the scenario; what is seen can be linked to.

let browser: Browser;
let folder: string;
let address: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'studio-'));
  putPage(folder);
  address = linkTo(folder);
  browser = await launchChromium();
});

afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});

/** The page in a fresh profile, once its first run is over. */
async function opened(at = address): Promise<Page> {
  const page = await lentPage(browser, { viewport: { width: 1280, height: 900 } });
  await goTo(page, at);
  await settled(page);
  await openText(page);
  await page.locator('.cm-content').waitFor();
  return page;
}

const settled = (page: Page) => page.locator('.verdict.held, .verdict.failed').waitFor();
const text = async (page: Page) => (await page.locator('.cm-line').allTextContents()).join('\n');
const now = (page: Page) => page.locator('.controls output').textContent();

/** Goes to an instant by a click on the timeline. @param share of the run that is over then */
async function scrub(page: Page, share: number): Promise<void> {
  const box = (await page.locator('.timeline').boundingBox())!;
  await page.locator('.timeline').click({ position: { x: box.width * (0.06 + 0.925 * share), y: box.height / 2 } });
}

describe('a click', () => {
  test('is a line at its instant, runs, and is taken back by undo', async () => {
    const page = await opened();
    const before = await text(page);
    await scrub(page, 0.68);
    const at = /^([\d.]+)s of/.exec((await now(page)) ?? '')?.[1] ?? '';
    await page.getByRole('button', { name: /^n3 SECONDARY/ }).click();
    await page.getByRole('button', { name: 'kill', exact: true }).click();
    await page
      .getByText(/^at least .* failed|eventually/)
      .first()
      .waitFor();
    const after = await text(page);
    expect(after).toMatch(new RegExp(`- at: ${at.replace('.', '\\.')}\\d*s\n\\s+kill: n3`));
    // Two of three are dead: nobody is elected, and the scenario says so.
    await page.locator('.verdict.failed').waitFor();
    await page.getByRole('button', { name: /^n3 DOWN/ }).waitFor();
    await page.keyboard.press('Escape');
    await page.locator('h1').click();
    await page.keyboard.press('Control+z');
    await page.locator('.verdict.held').waitFor();
    expect(await text(page)).toBe(before);
  });

  test('on the link between two members cuts it', async () => {
    const page = await opened();
    await scrub(page, 0.49);
    await page.getByRole('button', { name: 'the link between n2 and n3: open' }).click({ force: true });
    await page.getByRole('button', { name: 'cut both ways' }).click();
    await page.getByRole('button', { name: 'the link between n2 and n3: cut' }).waitFor();
    expect(await text(page)).toMatch(
      /- at: (\S+)\n\s+cut: { from: n2, to: n3 }\n\s+- at: \1\n\s+cut: { from: n3, to: n2 }/,
    );
  });
});

describe('before the editor is there', () => {
  const shown = (page: Page) => page.getByRole('textbox', { name: 'The scenario' });

  /** As its link has it: an editor draws no line that is out of sight. */
  const hasText = (page: Page, wanted: string) =>
    expect.poll(() => fromFragment(new URL(page.url()).hash.slice(1))?.text).toBe(wanted);

  /** The page once its first run is over. @param answer what becomes of the question for its editor */
  async function withoutEditor(answer: (route: Route) => Promise<void>): Promise<Page> {
    const page = await lentPage(browser, { viewport: { width: 1280, height: 900 } });
    // Another test may have loaded the editor.
    await page.goto('about:blank');
    await page.route('**/editor.js?*', answer);
    await page.goto(address);
    await page.locator('.verdict.held').waitFor();
    await openText(page);
    return page;
  }

  async function kill(page: Page): Promise<void> {
    await scrub(page, 0.68);
    await page.getByRole('button', { name: /^n3 SECONDARY/ }).click();
    await page.getByRole('button', { name: 'kill', exact: true }).click();
    await page.locator('header .verdict.failed').waitFor();
    expect(await shown(page).inputValue()).toContain('kill: n3');
  }

  test('what is clicked runs, and undo takes it back when it is', async () => {
    let bring = () => {};
    const asked = new Promise<void>((resolve) => {
      bring = resolve;
    });
    const page = await withoutEditor(async (route) => {
      await asked;
      await route.continue();
    });
    const before = await shown(page).inputValue();
    await kill(page);
    bring();
    await page.locator('.cm-line', { hasText: 'kill: n3' }).waitFor();
    await page.keyboard.press('Escape');
    await page.locator('h1').click();
    await page.keyboard.press('Control+z');
    await page.locator('.verdict.held').waitFor();
    await hasText(page, before);
  });

  test('undo waits for it, and it gets the cursor where somebody wants to write', async () => {
    let bring = () => {};
    const asked = new Promise<void>((resolve) => {
      bring = resolve;
    });
    const page = await withoutEditor(async (route) => {
      await asked;
      await route.continue();
    });
    const before = await shown(page).inputValue();
    await kill(page);
    await page.locator('h1').click();
    await page.keyboard.press('Control+z');
    await shown(page).focus();
    await page.evaluate('document.activeElement.setSelectionRange(5, 5)');
    expect(await page.evaluate('document.activeElement.selectionStart')).toBe(5);
    bring();
    await page.locator('.verdict.held').waitFor();
    await hasText(page, before);
    await page.keyboard.type('!');
    await hasText(page, `${before.slice(0, 5)}!${before.slice(5)}`);
  });

  test('nothing is lost if it does not come, and the page says so', async () => {
    const page = await withoutEditor((route) => route.abort());
    await page.getByText('editor.js is missing: the build makes it, and it must be beside this page').waitFor();
    await kill(page);
  });

  test('one that did not come is asked for again, and has what waited for it', async () => {
    let asked = 0;
    const page = await withoutEditor((route) => (++asked <= 2 ? route.abort() : route.continue()));
    const before = await shown(page).inputValue();
    const again = page.getByRole('button', { name: 'try again' });
    await again.waitFor();
    await kill(page);
    // Whoever clicks into the set wants it as well.
    await expect.poll(() => asked).toBe(2);
    await again.click();
    await page.locator('.cm-line', { hasText: 'kill: n3' }).waitFor();
    expect([asked, await again.count()]).toEqual([3, 0]);
    await page.locator('h1').click();
    await page.keyboard.press('Control+z');
    await hasText(page, before);
  });
});

test('a click that has no place in the text says so', async () => {
  const page = await opened();
  await page.locator('.cm-content').click();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText('name: Flow\nsteps: [{ advance: 20s }]\n');
  await page.getByRole('heading', { name: 'Flow' }).waitFor();
  await page.getByRole('button', { name: /^n2 / }).click();
  await page
    .getByRole('button', { name: 'kill', exact: true })
    .or(page.getByRole('button', { name: 'start', exact: true }))
    .first()
    .click();
  await page.getByText('The text has no list of steps').waitFor();
});

test('a link shows the same instant to somebody else', async () => {
  const page = await opened();
  // Beside the mark of the election, which leads to its own instant.
  await scrub(page, 0.995);
  await page.getByRole('button', { name: /^n2 PRIMARY/ }).click();
  const instant = await now(page);
  await expect.poll(() => fromFragment(new URL(page.url()).hash.slice(1))?.member).toBe('n2');
  const other = await opened(page.url());
  expect(await now(other)).toBe(instant);
  await other.getByRole('button', { name: 'step down' }).waitFor();
  // Nobody asks that of who is.
  expect(await other.getByRole('button', { name: 'why not primary?' }).count()).toBe(0);
});

test('why is answered, and an answer goes to its instant', async () => {
  const page = await opened();
  await scrub(page, 0.68);
  await page.getByRole('button', { name: 'why is there no primary?' }).click();
  await page.locator('.why').getByText('n1 is down: killed at').waitFor();
  // Once there is one, that is no question.
  await scrub(page, 0.995);
  await page.getByRole('button', { name: /^n2 PRIMARY/ }).waitFor();
  expect(await page.getByRole('button', { name: 'why is there no primary?' }).count()).toBe(0);
  await page.getByRole('button', { name: 'what is a majority waiting for?' }).waitFor();
});

test('the editor offers what may stand there, and says what it is', async () => {
  const page = await opened();
  await page.locator('.cm-line', { hasText: 'kill: primary' }).click();
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  // As deep as the step before it, and not inside of it.
  await page.keyboard.press('Backspace');
  await page.keyboard.type('- parti');
  const offered = page.getByRole('option', { name: /^partition/ });
  await offered.waitFor();
  await offered.click();
  expect(await text(page)).toMatch(/- partition: $/m);
});

test('a mistake stands in the text, and the last run stays', async () => {
  const page = await opened();
  await page.locator('.cm-line', { hasText: 'kill: primary' }).click();
  await page.keyboard.press('End');
  await page.keyboard.type('9');
  await page.getByText(/^1 mistake in the text/).waitFor();
  // Beside what somebody looks at, too.
  await page
    .getByRole('alert')
    .getByText(/^Line \d+: /)
    .waitFor();
  await page.getByRole('button', { name: /^n1 / }).waitFor();
});

test('the keyboard goes from event to event, and plays', async () => {
  const page = await opened();
  await page.locator('.timeline').press('Home');
  await page.keyboard.press(']');
  const first = await now(page);
  await page.keyboard.press(']');
  expect(await now(page)).not.toBe(first);
  await page.keyboard.press('[');
  expect(await now(page)).toBe(first);
  await page.keyboard.press(' ');
  await page.getByRole('button', { name: 'pause time' }).waitFor();
});

test('nothing looks wrong', async () => {
  const page = await opened();
  await scrub(page, 0.68);
  await page.getByRole('button', { name: 'why is there no primary?' }).click();
  await page.locator('.why').getByText('n1 is down').waitFor();
  expect(await wrongLooks(page)).toEqual([]);
});
