import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { main } from '../../packages/cli/src/main.ts';
import { toFragment } from '../../packages/studio/src/core/edit/fragment.ts';
import { launchChromium } from '../../packages/studio/test/browser/chromium.ts';
import { putPage } from '../../packages/studio/test/browser/putPage.ts';

// `replsim run FILE --html OUT`: the page with the run in it, in one file.

let browser: Browser;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'studio-html-'));
  putPage(join(folder, 'page'));
  browser = await launchChromium();
});

afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});

test.for([
  {
    name: 'It holds <b>&amp;</b> "still"',
    wanted: 'any',
    seed: 1,
    code: 0,
    verdict: '.verdict.held',
    at: /^10\.445s of 20/,
  },
  { name: 'It fails', wanted: 'none', seed: 7, code: 1, verdict: '.verdict.failed', at: /^20\.000s of 20/ },
])(
  '$name: opened from anywhere it shows the run, and asks for nothing',
  async ({ name, wanted, seed, code, ...seen }) => {
    const file = join(folder, 'scenario.yaml');
    const out = join(folder, `${code}.html`);
    writeFileSync(file, `name: '${name}'\nsteps:\n  - advance: { to: 20s }\n  - expect: { primary: ${wanted} }\n`);
    const io = { out: () => {}, err: () => {}, colours: false, progress: false };
    const studioPage = pathToFileURL(`${folder}/page/`);
    expect(await main(['run', file, '--html', out, '--seed', String(seed)], { ...io, studioPage })).toBe(code);
    // It needs neither the folder that it was made from nor the scenario.
    const page = await browser.newPage();
    const complaints: string[] = [];
    const requests: string[] = [];
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('console', (message) => void (message.type() === 'error' && complaints.push(message.text())));
    page.on('request', (request) => requests.push(request.url()));
    await page.goto(pathToFileURL(out).href);
    await page.locator(seen.verdict).waitFor();
    expect(await page.locator('h1').textContent()).toBe(name);
    expect(await page.locator('.controls output').textContent()).toMatch(seen.at);
    expect(await page.getByLabel('seed').inputValue()).toBe(String(seed));
    expect(complaints).toEqual([]);
    expect(requests.filter((url) => url !== pathToFileURL(out).href && !url.startsWith('blob:'))).toEqual([]);
    await page.close();
  },
);

test('a text that asks for more than the file has says how to play it', async () => {
  const page = await browser.newPage();
  const text = 'name: Places\nsteps:\n  - createIndex: { in: app.p, keys: { at: 2dsphere } }\n';
  await page.goto(`${pathToFileURL(join(folder, '0.html')).href}#${toFragment({ text, atMicros: 0 })}`);
  await page.getByText('open it with `replsim studio FILE`').first().waitFor();
  await page.close();
});
