import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { main } from '../../packages/cli/src/main.ts';
import { openText } from '../../packages/studio/test/browser/choose.ts';
import { launchChromium } from '../../packages/studio/test/browser/chromium.ts';
import { putPage } from '../../packages/studio/test/browser/putPage.ts';

// A scenario of somebody who means ill, in everything that a browser opens: no script of theirs runs, and a script that got into the page all
// the same would be stopped by its policy.

let browser: Browser;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hostile-'));
  putPage(join(folder, 'page'));
  writeFileSync(join(folder, 'scenario.yaml'), SCENARIO);
  browser = await launchChromium();
});

afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});

/** Ends each kind of element in which a text may stand, and begins a script in each way that a browser knows. */
const EVIL =
  '</script></style></title></textarea></pre>"\'`><script>window.broken=1</script><img src=x onerror=window.broken=1><svg onload=window.broken=1><a href=javascript:window.broken=1>x</a>';
const yaml = JSON.stringify;

const SCENARIO = `name: ${yaml(EVIL)}
description: ${yaml(`${EVIL} [x](javascript:window.broken=1)`)}
begin: with a primary
steps:
  - note: ${yaml(EVIL)}
  - run:
      on: primary
      db: app
      command: { insert: ${yaml(EVIL)}, documents: [{ _id: ${yaml(EVIL)}, ${yaml(EVIL)}: ${yaml(EVIL)} }] }
  - createIndex: { in: app.c, keys: { ${yaml(EVIL.replaceAll('.', '_'))}: 1 }, options: { name: ${yaml(EVIL)} } }
  - insert: { into: app.c, documents: [{ _id: ${yaml(EVIL)}, ${yaml(EVIL)}: [${yaml(EVIL)}] }] }
  - advance: 5s
  - expect: { on: primary, find: app.c, filter: { _id: ${yaml(EVIL)} }, is: [{ a: ${yaml(EVIL)} }] }
`;

async function run(...words: readonly string[]): Promise<void> {
  const said: string[] = [];
  const io = { out: () => {}, err: (text: string) => void said.push(text), colours: false, progress: false };
  const studioPage = pathToFileURL(`${join(folder, 'page')}/`);
  const code = await main(['run', join(folder, 'scenario.yaml'), ...words], { ...io, studioPage });
  // It fails, so that its error is in the report as well.
  expect([code, said.join('')]).toEqual([1, '']);
}

/** A page where this opens, and each violation of its policy. */
async function opened(address: string): Promise<Page> {
  const context = await browser.newContext();
  onTestFinished(() => context.close());
  const page = await context.newPage();
  // `script-src` alone is left out: the schemas of the page look whether they may make functions of text, and do without.
  await page.addInitScript({
    content: `window.violations = [];
      addEventListener('securitypolicyviolation', ({ effectiveDirective }) => {
        if (effectiveDirective.startsWith('script-src-')) window.violations.push(effectiveDirective);
      });`,
  });
  page.on('dialog', (dialog) => void dialog.dismiss());
  await page.goto(address);
  return page;
}

const ofWindow = (page: Page, name: string) => page.evaluate(`window.${name}`);

/** What would run if there were no policy, put into the page in each way. */
async function inject(page: Page): Promise<void> {
  await page.evaluate(`{
    const script = document.createElement('script');
    script.textContent = 'window.broken = 1';
    document.body.append(script);
    const holder = document.createElement('div');
    holder.innerHTML = '<img src="data:," onerror="window.broken = 1"><a id="evil" href="javascript:window.broken=1">x</a>';
    document.body.append(holder);
    const elsewhere = document.createElement('script');
    elsewhere.src = 'https://elsewhere.example/evil.js';
    document.body.append(elsewhere);
    document.getElementById('evil').click();
  }`);
  await page.waitForFunction('window.violations.length >= 4', undefined, { timeout: 20_000 });
}

async function withstands(page: Page): Promise<void> {
  expect(await ofWindow(page, 'broken')).toBeUndefined();
  expect(await ofWindow(page, 'violations')).toEqual([]);
  await inject(page);
  expect(await ofWindow(page, 'broken')).toBeUndefined();
  expect(new Set((await ofWindow(page, 'violations')) as string[])).toEqual(
    new Set(['script-src-elem', 'script-src-attr']),
  );
}

test('a report runs no script of a scenario, and its policy stops one that got in', async () => {
  const report = join(folder, 'report.html');
  await run('--reporter', 'html', '--output', report);
  const page = await opened(pathToFileURL(report).href);
  expect(await page.locator('article').textContent()).toContain('<script>window.broken=1</script>');
  await withstands(page);
});

test('the page of a run in one file runs no script of a scenario, and its policy stops one that got in', async () => {
  const out = join(folder, 'run.html');
  await run('--html', out);
  expect(readFileSync(out, 'utf8')).not.toContain('window.broken');
  const page = await opened(pathToFileURL(out).href);
  await page.locator('.verdict.failed').waitFor();
  expect(await page.locator('h1').textContent()).toBe(EVIL);
  await openText(page);
  await page.locator('.cm-line').first().waitFor();
  await withstands(page);
});

test('the page of replsim studio runs no script of a scenario, and its policy stops one that got in', async () => {
  let stop = () => {};
  let ended: Promise<number> | undefined;
  const address = await new Promise<string>((resolve, reject) => {
    ended = main(['studio', join(folder, 'scenario.yaml')], {
      out: (text) => void (text.startsWith('http') && resolve(text.trim())),
      err: (text) => reject(new Error(text)),
      colours: false,
      progress: false,
      studioPage: pathToFileURL(`${join(folder, 'page')}/`),
      onInterrupt: (interrupt) => {
        stop = interrupt;
      },
    });
  });
  onTestFinished(async () => {
    stop();
    await ended;
  });
  const page = await opened(address);
  await page.getByRole('heading', { name: 'window.broken' }).waitFor();
  await page.locator('.verdict.failed').waitFor();
  expect(await page.locator('h1').textContent()).toBe(EVIL);
  await withstands(page);
});
