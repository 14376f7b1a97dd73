import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { main } from '../../packages/cli/src/main.ts';
import { fromFragment } from '../../packages/studio/src/core/edit/fragment.ts';
import { chosenOf, openText } from '../../packages/studio/test/browser/choose.ts';
import { launchChromium } from '../../packages/studio/test/browser/chromium.ts';
import { lentPage } from '../../packages/studio/test/browser/lentPage.ts';
import { putPage } from '../../packages/studio/test/browser/putPage.ts';

// The page as `replsim studio` serves it.

let browser: Browser;
let built: string;
let folder: string;

beforeAll(async () => {
  built = mkdtempSync(join(tmpdir(), 'studio-'));
  putPage(built);
  browser = await launchChromium();
});

afterAll(async () => {
  await browser?.close();
  rmSync(built, { recursive: true });
});

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'studio-files-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  write('a.yaml', scenario('The first'));
  write('b.yaml', scenario('The second'));
});

const scenario = (name: string) => `name: ${name}\nsteps:\n  - advance: 20s\n  - expect: { primary: any }\n`;
const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
const textOf = (name: string) => readFileSync(join(folder, name), 'utf8');

/** The page of a `replsim studio` of its own. @param complaints gets what the browser has to say */
async function opened(complaints: string[] = []): Promise<Page> {
  const page = await begun(complaints);
  await chooseFile(page, 'a.yaml');
  await shows(page, 'The first');
  return page;
}

/** The same where it begins. @param path what is named */
async function begun(complaints: string[] = [], path = folder, width = 1280): Promise<Page> {
  let stop = () => {};
  let ended: Promise<number> | undefined;
  const address = await new Promise<string>((resolve, reject) => {
    ended = main(['studio', path], {
      out: (text) => void (text.startsWith('http') && resolve(text.trim())),
      err: (text) => reject(new Error(text)),
      colours: false,
      progress: false,
      studioPage: pathToFileURL(`${built}/`),
      onInterrupt: (interrupt) => {
        stop = interrupt;
      },
    });
  });
  const page = await lentPage(browser, { viewport: { width, height: 900 } });
  onTestFinished(async () => {
    if (!page.isClosed()) await page.goto('about:blank');
    stop();
    await ended;
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => void (message.type() === 'error' && complaints.push(message.text())));
  await page.goto(address);
  return page;
}

async function shows(page: Page, name: string): Promise<void> {
  await page.getByRole('heading', { name }).waitFor();
  await page.locator('.verdict.held').waitFor();
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

const file = (page: Page) => chosenOf(page, 'File');

async function chooseFile(page: Page, path: string): Promise<void> {
  await file(page).click();
  await page.getByRole('option', { name: new RegExp(`^${path.replace('.', '\\.')} – `) }).click();
}

const line = (page: Page) => page.locator('.cm-line', { hasText: 'kill: n2' });

/** A click that is a line of the text. */
async function kill(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^n2 / }).click();
  await button(page, 'kill').click();
}

const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true });

test('a folder begins with the lessons, a lesson is walked through, and back leads there again', async () => {
  const page = await begun();
  await heading(page, 'Lessons').waitFor();
  await page.locator('.lessons button').first().click();
  await page.locator('.lesson').waitFor();
  expect(await chosenOf(page, 'how').textContent()).toBe('walk through it');
  await page.goBack();
  await button(page, 'The second').click();
  await shows(page, 'The second');
  expect(await file(page).textContent()).toMatch(/^b\.yaml – /);
  await page.goBack();
  await heading(page, 'Lessons').waitFor();
  await page.goForward();
  await shows(page, 'The second');
  await button(page, 'all lessons').click();
  await heading(page, 'Lessons').waitFor();
  expect(await file(page).textContent()).toBe('no file is open');
});

test('a lesson of the folder is walked through too', async () => {
  const lesson = new URL('../../scenarios/lessons/02-how-an-election-goes.yaml', import.meta.url);
  write('c.yaml', readFileSync(lesson, 'utf8'));
  const page = await begun();
  await chooseFile(page, 'c.yaml');
  await page.locator('.lesson').waitFor();
  expect(await file(page).textContent()).toMatch(/^c\.yaml – /);
});

test('a file that is named is open at once', async () => {
  await shows(await begun([], join(folder, 'b.yaml')), 'The second');
});

test.for([1280, 390])('at %d pixels nothing goes over the edge, however long a name is', async (width) => {
  write('a.yaml', scenario('A name that goes on and on, as names of scenarios do, '.repeat(5).trim()));
  const page = await begun([], folder, width);
  const over = () => page.evaluate('document.documentElement.scrollWidth - innerWidth');
  await heading(page, 'Lessons').waitFor();
  await file(page).waitFor();
  expect(await over()).toBeLessThanOrEqual(0);
  await chooseFile(page, 'a.yaml');
  await page.locator('.verdict.held').waitFor();
  expect(await over()).toBeLessThanOrEqual(0);
});

test('a file is chosen, then another, and a reload keeps it; nothing is refused', async () => {
  const complaints: string[] = [];
  const page = await opened(complaints);
  await chooseFile(page, 'b.yaml');
  await shows(page, 'The second');
  await page.reload();
  await shows(page, 'The second');
  expect(await file(page).textContent()).toMatch(/^b\.yaml – /);
  expect(complaints).toEqual([]);
});

test('what is clicked is saved when somebody says so twice', async () => {
  const page = await opened();
  await kill(page);
  await button(page, 'save to a.yaml').click();
  expect(textOf('a.yaml')).toBe(scenario('The first'));
  await button(page, 'no').click();
  await button(page, 'save to a.yaml').click();
  await button(page, 'yes, overwrite a.yaml').click();
  await page.getByText('saved to a.yaml').waitFor();
  expect(textOf('a.yaml')).toContain('kill: n2');
  expect(textOf('b.yaml')).toBe(scenario('The second'));
  expect(await button(page, 'save to a.yaml').count()).toBe(0);
});

test('a file keeps its line ends, and its byte order mark, which is no part of the text', async () => {
  write('a.yaml', `\uFEFF${scenario('The first').replaceAll('\n', '\r\n')}`);
  const page = await opened();
  await kill(page);
  await button(page, 'save to a.yaml').click();
  await button(page, 'yes, overwrite a.yaml').click();
  await page.getByText('saved to a.yaml').waitFor();
  const saved = textOf('a.yaml');
  expect(saved).toMatch(/^\uFEFFname: The first\r\nsteps:\r\n/);
  expect(saved).toContain('kill: n2\r\n');
  expect(saved.replaceAll('\r\n', '')).not.toMatch(/[\r\n]|.\uFEFF/);
  expect(fromFragment(new URL(page.url()).hash.slice(1))?.text).toMatch(/^name: /);
});

test('what is saved on disk is shown, and takes away nothing that was clicked', async () => {
  const page = await opened();
  write('b.yaml', scenario('Another'));
  write('a.yaml', scenario('Saved on disk'));
  await shows(page, 'Saved on disk');
  await kill(page);
  await button(page, 'save to a.yaml').waitFor();
  write('a.yaml', scenario('Saved again'));
  await page.getByText('a.yaml has changed on disk, and here too.').waitFor();
  await openText(page);
  await line(page).waitFor();
  await button(page, 'keep the version here').click();
  await button(page, 'save to a.yaml').waitFor();
  write('a.yaml', scenario('Saved at last'));
  await button(page, 'use the version on disk').click();
  await shows(page, 'Saved at last');
  expect(await line(page).count()).toBe(0);
});

test('another file is not chosen over what is not saved, unless somebody says so', async () => {
  const page = await opened();
  await kill(page);
  await button(page, 'save to a.yaml').waitFor();
  const questions: string[] = [];
  page.once('dialog', (dialog) => {
    questions.push(dialog.message());
    void dialog.dismiss();
  });
  await chooseFile(page, 'b.yaml');
  await openText(page);
  await line(page).waitFor();
  expect(questions).toEqual(['Your changes to a.yaml are not saved and will be lost. Continue?']);
  expect(await file(page).textContent()).toMatch(/^a\.yaml – /);
  page.once('dialog', (dialog) => void dialog.accept());
  await chooseFile(page, 'b.yaml');
  await shows(page, 'The second');
  expect(await button(page, 'save to b.yaml').count()).toBe(0);
});

test('a link brings a text that is none of the files', async () => {
  const page = await opened();
  await kill(page);
  await button(page, 'save to a.yaml').waitFor();
  const link = new URL(page.url());
  link.search = '';
  const other = await page.context().newPage();
  onTestFinished(() => other.close());
  await other.goto(link.href);
  await openText(other);
  await line(other).waitFor();
  await file(other).waitFor();
  expect(await file(other).textContent()).toBe('no file is open');
  expect(await other.getByRole('button', { name: /^save/ }).count()).toBe(0);
});
