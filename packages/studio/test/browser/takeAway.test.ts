import { readFileSync } from 'node:fs';
import type { Download, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Opener, openerOf } from './openPage.ts';
import { wrongLooks } from './wrongLooks.ts';

// Pictures that one takes away: what is downloaded is looked at byte by byte.

const text = readFileSync(new URL('../../../../scenarios/election/failover-on-kill.yaml', import.meta.url), 'utf8');
const ELECTION = 22_000_000;

let opener: Opener;
beforeAll(async () => {
  opener = await openerOf();
});
afterAll(() => opener?.close());

const menu = (page: Page) => page.getByRole('button', { name: 'take a picture' });
const item = (page: Page, name: string) => page.getByRole('menuitem', { name, exact: true });

async function taken(page: Page, name: string): Promise<Download> {
  await menu(page).click();
  const [download] = await Promise.all([page.waitForEvent('download'), item(page, name).click()]);
  return download;
}

async function bytesOf(download: Download): Promise<Buffer> {
  return readFileSync(await download.path());
}

test('this instant, as SVG and as PNG', async () => {
  const page = await opener.open({ text, atMicros: ELECTION });
  const svg = await taken(page, 'as SVG');
  expect(svg.suggestedFilename()).toBe('replsim-22.000s.svg');
  const drawn = (await bytesOf(svg)).toString();
  expect(drawn).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
  for (const name of ['n1', 'n2', 'n3']) expect(drawn).toContain(`>${name}<`);
  // It has its colours with it.
  expect(drawn).toContain('svg.setpic{--surface:');
  // Well-formed: a browser draws nothing otherwise.
  expect(
    await page.evaluate(
      `new DOMParser().parseFromString(${JSON.stringify(drawn)}, 'image/svg+xml').querySelector('parsererror') === null`,
    ),
  ).toBe(true);
  const png = await bytesOf(await taken(page, 'as PNG'));
  expect(png.subarray(0, 8).toString('latin1')).toBe('\x89PNG\r\n\x1a\n');
  expect(png.readUInt32BE(16)).toBe(1280);
  expect(png.length).toBeGreaterThan(10_000);
});

test('a stretch, as a sequence diagram and as Mermaid', async () => {
  const page = await opener.open({ text, atMicros: ELECTION });
  const mermaid = await taken(page, 'as a sequence diagram (Mermaid)');
  expect(mermaid.suggestedFilename()).toBe('replsim-20.000s-22.000s.mmd');
  const lines = (await bytesOf(mermaid)).toString();
  expect(lines).toMatch(/^sequenceDiagram\n/);
  expect(lines).toMatch(/m[23]->>m[123]: would you vote for me\? \(term 1\)/);
  const svg = (await bytesOf(await taken(page, 'as a sequence diagram (SVG)'))).toString();
  expect(svg).toMatch(/^<svg .*would you vote for me/s);
});

test('a stretch begins where one says; one with too much in it is refused with words', async () => {
  const page = await opener.open({ text, atMicros: ELECTION });
  await page.getByRole('button', { name: 'to the beginning' }).click();
  await menu(page).click();
  expect(await item(page, 'as a sequence diagram (SVG)').count()).toBe(0);
  await item(page, 'let the stretch begin here').click();
  await page.getByRole('button', { name: 'to the end' }).click();
  await menu(page).click();
  await page.getByText('From 0.000s to ').waitFor();

  const busy = `name: Busy\nbegin: with a primary\nsteps:\n  - workload: { name: w1, every: 10ms, insert: { into: app.orders, document: { _id: $i } } }\n  - advance: 20s\n`;
  const other = await opener.open({ text: busy, atMicros: 20_000_000 });
  await menu(other).click();
  await item(other, 'as a sequence diagram (SVG)').click();
  await other
    .getByText(/No picture: this stretch has \d+ rows, and at most 300 are drawn/)
    .first()
    .waitFor();
});

test('a stretch as a video, in a browser that can record one', async () => {
  const page = await opener.open({ text, atMicros: ELECTION });
  const video = await taken(page, 'as a video');
  expect(video.suggestedFilename()).toBe('replsim-20.000s-22.000s.webm');
  const bytes = await bytesOf(video);
  // EBML, then the name of its kind.
  expect(bytes.readUInt32BE(0)).toBe(0x1a45dfa3);
  expect(bytes.subarray(0, 64).toString('latin1')).toContain('webm');
  expect(bytes.length).toBeGreaterThan(5_000);
});

test('a video is not offered where nothing can be recorded', async () => {
  const page = await opener.open({ text, atMicros: ELECTION });
  await page.addInitScript('delete globalThis.MediaRecorder');
  await page.reload();
  await page.locator('.verdict.held').waitFor();
  await menu(page).click();
  await item(page, 'as a sequence diagram (SVG)').waitFor();
  expect(await item(page, 'as a video').count()).toBe(0);
  expect(await wrongLooks(page)).toEqual([]);
  // Nothing takes that script away again.
  await page.context().close();
});
