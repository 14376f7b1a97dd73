import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { strFromU8, unzlibSync } from 'fflate';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { fromFragment, toFragment } from '../../src/core/edit/fragment.ts';
import { launchChromium } from './chromium.ts';
import { lentPage } from './lentPage.ts';
import { putPage } from './putPage.ts';
import { wrongLooks } from './wrongLooks.ts';

// The page where nobody says what to show, from a file.

const scenarios = fileURLToPath(new URL('../../../../scenarios', import.meta.url));
const files = readdirSync(scenarios, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.yaml'))
  .sort();
const read = (file: string) => readFileSync(join(scenarios, file), 'utf8');
const nameOf = (file: string) => String(parse(read(file)).name);
/** Those that begin and end a folder; of every eighth folder alone, unless all are wanted, as each night by `npm run browser:every`. */
const opening = files
  .filter((each, i) => dirname(each) !== dirname(files[i + 1] ?? '') || dirname(each) !== dirname(files[i - 1] ?? ''))
  .filter((_, i) => process.env.EVERY_SCENARIO !== undefined || i % 16 < 2);
const lessonNames = files.filter((file) => file.startsWith('lessons')).map(nameOf);

/** What the page begins with, besides its file. */
const FIRST = ['assets', 'base.js', 'index.js'];

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

async function opened(at = address): Promise<Page> {
  const page = await lentPage(browser, { viewport: { width: 1280, height: 900 } });
  await page.goto('about:blank');
  await page.goto(at);
  return page;
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const settled = (page: Page) => page.locator('.verdict.held, .verdict.failed').waitFor();

describe('lessons', () => {
  test('stand there in their order, with what they claim', async () => {
    const page = await opened();
    await page.getByRole('heading', { name: 'Lessons' }).waitFor();
    expect(await page.locator('.lessons strong').allTextContents()).toEqual(lessonNames);
    expect(lessonNames.length).toBeGreaterThanOrEqual(12);
    expect((await page.locator('.lessons .about').allTextContents()).filter((about) => about === '')).toEqual([]);
  });

  test('the first one is there in a moment, and waits for none of the scenarios, and for no editor', async () => {
    const page = await lentPage(browser);
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    // What the machine takes for nothing, as busy as it is.
    await page.goto('data:text/html,<button>nothing</button>');
    await button(page, 'nothing').click();
    const nothingMs = (await page.evaluate('performance.now()')) as number;
    await page.goto(address);
    await page.locator('.lessons button').first().click();
    await page
      .getByRole('button', { name: 'next ▸' })
      .and(page.locator(':enabled'))
      .or(button(page, 'show me'))
      .first()
      .waitFor();
    const sinceMs = (await page.evaluate('performance.now()')) as number;
    console.log(
      `the first lesson is interactive ${sinceMs.toFixed(0)} ms after its page was asked for, an empty page after ${nothingMs.toFixed(0)} ms`,
    );
    expect(requests.filter((url) => /(scenarios|editor)\.js$/.test(url))).toEqual([]);
  });

  test('one that was walked to its end is marked as done, and leads to the next', async () => {
    const page = await opened();
    await page.locator('.lessons button').first().click();
    await page
      .locator('.lesson')
      .getByText(/\d right, /)
      .waitFor();
    for (;;) {
      const show = button(page, 'show me');
      const next = button(page, 'next ▸');
      if (await show.count()) await show.click();
      else if (await next.isDisabled()) break;
      else await next.click();
    }
    await page.getByText('That was the lesson.').waitFor();
    await button(page, `next lesson: ${lessonNames[1]}`).click();
    await page.getByRole('heading', { name: lessonNames[1]! }).waitFor();
    await button(page, 'all lessons').click();
    expect(await page.locator('.lessons li', { hasText: '✓ done' }).count()).toBe(1);
    await page.locator('.lessons li', { hasText: lessonNames[0]! }).getByText('✓ done').waitFor();
  });
});

describe('the set that is there at once', () => {
  test('loses its primary by a click, and says what comes of it and why', async () => {
    const page = await opened();
    // In steps it takes as long, but is drawn seldom.
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await page.locator('.deed:enabled').click();
    const caption = page.locator('.hero .caption');
    await caption.getByText('n1 is killed').waitFor();
    await caption.getByText(/^n\d votes for n\d$/).waitFor();
    await caption.getByText(/^n\d is primary of term 2/).waitFor();
    await page.getByRole('button', { name: /^Why did n\d win\?$/ }).click();
    await page.locator('.because li').first().waitFor();
    await page.locator('.clicked .fold-title').click();
    expect(await page.locator('.clicked pre').textContent()).toContain('- kill: primary');
    await button(page, 'Open it').click();
    await page.getByRole('heading', { name: 'The primary is killed' }).waitFor();
  });

  test('is painted before the simulator is there', async () => {
    const alone = join(folder, 'without-core');
    cpSync(join(folder, 'index.html'), join(alone, 'index.html'));
    for (const part of FIRST) cpSync(join(folder, part), join(alone, part), { recursive: true });
    const page = await opened(`${pathToFileURL(alone).href}/index.html`);
    await button(page, 'Kill the primary').waitFor();
    expect(await page.locator('.stage [data-member]').count()).toBe(3);
  });
});

test('scenarios are found by words, and by what they are about', async () => {
  const page = await opened();
  await page.getByRole('searchbox').fill('primary DIES');
  await page.locator('.shelf button[title="election/failover-on-kill.yaml"]').waitFor();
  await page.getByRole('searchbox').fill('no scenario has this word');
  await page.getByText('None has all of these words.').waitFor();
  await page.getByRole('searchbox').fill('');
  await button(page, 'rollback').click();
  await page.locator('.shelf button[title="lessons/05-what-a-rollback-takes-away.yaml"]').waitFor();
});

test('within another page it is the set, time and reasons alone', async () => {
  const host = join(folder, 'blog.html');
  const fragment = toFragment({ text: read('election/failover-on-kill.yaml'), atMicros: 21_150_000, member: 'n3' });
  writeFileSync(host, `<!doctype html><iframe width="700" height="800" src="index.html?embed#${fragment}"></iframe>`);
  const page = await opened(pathToFileURL(host).href);
  const frame = page.frameLocator('iframe');
  await frame.getByRole('button', { name: 'why not primary?' }).click();
  await frame.locator('.embedded-reasons li').first().waitFor();
  await frame.getByRole('button', { name: 'play' }).click();
  await frame.getByRole('button', { name: 'pause time' }).waitFor();
  expect(await frame.getByRole('button', { name: /^(kill|pause|shut down|step down)/ }).count()).toBe(1); // The one of time.
  expect(await frame.locator('.cm-line').count()).toBe(0);
  const whole = await frame.getByRole('link', { name: 'open in replsim studio' }).getAttribute('href');
  expect(whole).toContain('index.html#');
});

test('back and forth go to what was opened', async () => {
  const page = await opened();
  await button(page, 'an empty scenario').click();
  await page.getByRole('heading', { name: 'What I want to know' }).waitFor();
  await settled(page);
  await page.goBack();
  await page.getByRole('heading', { name: 'Lessons' }).waitFor();
  await page.goForward();
  await page.getByRole('heading', { name: 'What I want to know' }).waitFor();
});

test('a file from the disk is opened', async () => {
  const page = await opened();
  const file = join(folder, 'own.yaml');
  writeFileSync(file, 'name: From the disk\nsteps:\n  - advance: 1s\n');
  await page.locator('input[type=file]').setInputFiles(file);
  await page.getByRole('heading', { name: 'From the disk' }).waitFor();
});

test('one that is dropped is opened as well', async () => {
  const page = await opened();
  await page.getByRole('heading', { name: 'Lessons' }).waitFor();
  await page.evaluate(`{
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File(['name: Dropped\\nsteps:\\n  - advance: 1s\\n'], 'dropped.yaml'));
    document.querySelector('main').dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
  }`);
  await page.getByRole('heading', { name: 'Dropped' }).waitFor();
});

test('a link that was cut short says so', async () => {
  const page = await opened(`${address}#abc`);
  await page.getByRole('alert').getByText('The link in the address cannot be read').waitFor();
});

test('scenarios that do not lie beside the page are missed aloud', async () => {
  const alone = join(folder, 'alone');
  cpSync(join(folder, 'index.html'), join(alone, 'index.html'));
  for (const part of FIRST) cpSync(join(folder, part), join(alone, part), { recursive: true });
  const page = await opened(`${pathToFileURL(alone).href}/index.html`);
  await button(page, 'show them, by folder').click();
  await page.getByText('scenarios.js is missing: the build makes it, and it must be beside this page').waitFor();
});

test('every scenario lies there as it is in the folder, and opens so', async () => {
  const page = await opened();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  const shelf = page.locator('.shelf').first();
  await button(page, 'show them, by folder').click();
  // A folder has its scenarios while it is open, and stays open for who comes back.
  const closed = page.locator('.folder .fold-title[aria-expanded="false"]');
  await closed.first().waitFor();
  while ((await closed.count()) > 0) await closed.first().click();
  await shelf.waitFor();
  const paths = (await page.evaluate(
    "[...document.querySelectorAll('.shelf button')].map((each) => each.title)",
  )) as string[];
  expect(paths.sort()).toEqual(files);
  const packed = (await page.evaluate('replsimScenarios')) as string;
  const shelved = JSON.parse(strFromU8(unzlibSync(Buffer.from(packed, 'base64')))) as { path: string; text: string }[];
  expect(shelved.map(({ path, text }) => [path, text])).toEqual(files.map((file) => [file, read(file)]));
  expect(opening.length).toBeGreaterThan(3);
  for (const file of opening) {
    await page.evaluate(`document.querySelector('.shelf button[title="${file}"]').click()`);
    await page.locator('.timeline').waitFor();
    expect(fromFragment(new URL(page.url()).hash.slice(1))?.text, file).toBe(read(file));
    await page.goBack();
    await shelf.waitFor({ state: 'attached' });
  }
  expect(complaints).toEqual([]);
  // At night it opens a hundred of them, one after the other.
}, 400_000);

test('who comes back finds the folders as they were left', async () => {
  const page = await opened();
  await button(page, 'show them, by folder').click();
  const folders = page.locator('.folder');
  await folders.nth(2).locator('.fold-title').click();
  const areOpen = () =>
    page.evaluate(
      "[...document.querySelectorAll('.folder .fold-title')].map(({ ariaExpanded }) => ariaExpanded === 'true')",
    ) as Promise<boolean[]>;
  const left = await areOpen();
  expect(left.filter(Boolean)).toHaveLength(1);
  await folders.nth(2).locator('.shelf button').first().click();
  await settled(page);
  await page.goBack();
  await folders.first().waitFor();
  expect(await areOpen()).toEqual(left);
});

test('nothing looks wrong', async () => {
  const page = await opened();
  await button(page, 'show them, by folder').click();
  await page.locator('.fold-title').first().click();
  expect(await wrongLooks(page)).toEqual([]);
});
