import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { ScenarioPlayer } from '../../src/core/run/play.ts';
import { oneScript } from '../../vite/oneScript.ts';
import { launchChromium } from './chromium.ts';
import type { Harness } from './harness.ts';
import { digestsOf, sliceOf } from './slices.ts';

// The page's player in a real browser: the trace that its worker hands over is Node's, byte for byte.

declare const harness: Harness;

const scenarios = fileURLToPath(new URL('../../../../scenarios', import.meta.url));
const files = readdirSync(scenarios, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.yaml'))
  .sort();
const read = (file: string) => readFileSync(join(scenarios, file), 'utf8');
const folders = [...new Set(files.map((file) => dirname(file)))];
const bySize = files.toSorted((a, b) => read(a).length - read(b).length);
/** Of each folder the one with the shortest text. The others take minutes, and come each night by `npm run browser:every`. */
const shortest = folders.map((folder) => bySize.find((file) => dirname(file) === folder)!);
const compared = process.env.EVERY_SCENARIO === undefined ? shortest : files;

/** What of the built page brings the simulator. */
const SCRIPTS = ['/base.js', '/shared.js', '/core.js', '/whole.js'];
const built = (path: string) => readFileSync(join(inject('builtPage'), path), 'utf8');

let browser: Browser;
let page: Page;

beforeAll(async () => {
  const script = await oneScript(fileURLToPath(new URL('./harness.ts', import.meta.url)));
  browser = await launchChromium();
  page = await (await browser.newContext()).newPage();
  // Nothing listens there; a page that is safe may make digests, and whatever else it loaded would fail.
  const html = '<!doctype html><title>harness</title><script src="/base.js"></script>';
  await page.route('**/*', (route) => {
    const { pathname } = new URL(route.request().url());
    if (pathname === '/') return route.fulfill({ contentType: 'text/html; charset=utf-8', body: html });
    return SCRIPTS.includes(pathname)
      ? route.fulfill({ contentType: 'text/javascript; charset=utf-8', body: built(pathname) })
      : route.abort();
  });
  await page.goto('https://replsim.test/');
  await page.addScriptTag({ content: script });
}, 120_000);

afterAll(() => browser?.close());

describe('a scenario leaves the trace that it leaves in Node', () => {
  test('there are some', () => expect(compared.length).toBeGreaterThan(20));

  test.for(compared)('%s', async (file) => {
    const text = read(file);
    // Both at once, each in its process; what is not begun there when this one begins waits for its end.
    await page.evaluate((given) => harness.begin(given), text);
    const here = await digestsOf(new ScenarioPlayer(), text);
    const { ofSlices, ok } = await page.evaluate(() => harness.begun());
    const number = here.ofSlices.findIndex((digest, i) => digest !== ofSlices[i]);
    if (number !== -1) await expectSameLines(text, number);
    expect({ slices: ofSlices, ok }).toEqual({ slices: here.ofSlices, ok: here.ok });
  });
});

/** Says which line is the first that differs. */
async function expectSameLines(text: string, number: number): Promise<void> {
  const expected = await sliceOf(new ScenarioPlayer(), text, number);
  const actual = await page.evaluate((given) => harness.slice(given), { text, number });
  const at = expected.findIndex((line, i) => line !== actual[i]);
  expect(actual[at], `line ${at + 1} of slice ${number + 1}`).toBe(expected[at]);
}

test('who asks for another run need not wait for the last one, and asks why about the new one', async () => {
  const [first, second] = await page.evaluate((given) => harness.overtaken(given), {
    long: read('ttl/one-by-one-the-backlog-grows.yaml'),
    short: read('election/failover-on-kill.yaml'),
  });
  expect(first).toBeUndefined();
  expect(second).toMatchObject({ kind: 'played', ok: true });
  const why = await page.evaluate((atMicros) => harness.why(atMicros), 15e6);
  expect(why.map(({ text }) => text)).toContainEqual(expect.stringMatching(/^n1 is down: killed at/));
});

test('a comparison holds up neither the next one nor a run', async () => {
  const [first, second, run, last] = await page.evaluate((given) => harness.overtakenComparisons(given), {
    long: read('ttl/one-by-one-the-backlog-grows.yaml'),
    short: read('election/failover-on-kill.yaml'),
  });
  expect([first, second]).toEqual([undefined, undefined]);
  expect(run).toMatchObject({ kind: 'played', ok: true, seed: 2 });
  expect(last?.likeness.began).toContain('seed is 1 in the first, 2 in the second');
});

test('a look at another instant takes the place of one under way, and no run waits for it', async () => {
  const order = await page.evaluate((given) => harness.looks(given), {
    long: read('ttl/one-by-one-the-backlog-grows.yaml'),
    short: read('election/failover-on-kill.yaml'),
  });
  expect(order).toEqual(['first overtaken', 'run', 'second at 141000000']);
});
