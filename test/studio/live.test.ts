import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { MongoClient } from 'mongodb';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { main } from '../../packages/cli/src/main.ts';
import { launchChromium } from '../../packages/studio/test/browser/chromium.ts';
import { lentPage } from '../../packages/studio/test/browser/lentPage.ts';
import { putPage } from '../../packages/studio/test/browser/putPage.ts';
import { wrongLooks } from '../../packages/studio/test/browser/wrongLooks.ts';

// The page of a set at work, as `replsim serve --studio` shows it.

let browser: Browser;
let built: string;

beforeAll(async () => {
  built = mkdtempSync(join(tmpdir(), 'studio-'));
  putPage(built);
  browser = await launchChromium();
});

afterAll(async () => {
  await browser?.close();
  rmSync(built, { recursive: true });
});

interface Serving {
  readonly uri: string;
  /** Of the page. */
  readonly address: string;
  /** Ctrl-C. */
  readonly interrupt: () => Promise<number>;
}

async function served(...args: readonly string[]): Promise<Serving> {
  let stop = () => {};
  let ended: Promise<number> | undefined;
  let out = '';
  let err = '';
  await new Promise<void>((resolve, reject) => {
    ended = main(['serve', '--port', '0', '--studio', '0', '--quiet', ...args], {
      out: (text) => {
        out += text;
        if (/^ready/m.test(out)) resolve();
      },
      err: (text) => {
        err += text;
      },
      colours: false,
      progress: false,
      studioPage: pathToFileURL(`${built}/`),
      onInterrupt: (interrupt) => {
        stop = interrupt;
      },
    });
    ended.then((code) => reject(new Error(`serve ended with ${code}: ${err}`)), reject);
  });
  const interrupt = () => {
    stop();
    return ended!;
  };
  onTestFinished(async () => void (await interrupt()));
  return { uri: /mongodb:\/\/\S+/.exec(out)![0], address: /http:\/\/[^\s,]+/.exec(out)![0], interrupt };
}

async function opened(address: string, complaints: string[] = []): Promise<Page> {
  const page = await lentPage(browser, { viewport: { width: 1280, height: 900 } });
  onTestFinished(async () => void (page.isClosed() || (await page.goto('about:blank'))));
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => void (message.type() === 'error' && complaints.push(message.text())));
  await page.goto(address);
  await page.locator('header .verdict').getByText('live', { exact: true }).waitFor();
  return page;
}

async function driver(uri: string): Promise<MongoClient> {
  const client = new MongoClient(uri);
  onTestFinished(() => client.close());
  return client.connect();
}

const member = (page: Page, text: string) => page.getByRole('button', { name: new RegExp(`^${text}`) });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

test('what a driver does is seen on two pages at once, and on one that is opened later', async () => {
  const { uri, address } = await served();
  const complaints: string[] = [];
  const pages = [await opened(address, complaints), await opened(address, complaints)];
  const client = await driver(uri);
  await client
    .db('app')
    .collection('orders')
    .insertOne({ x: 1 }, { writeConcern: { w: 'majority' } });
  pages.push(await opened(address, complaints));
  for (const page of pages) {
    await member(page, 'n1 PRIMARY').waitFor();
    // Asked again each time, as a primary writes on; seconds are counted from the start of the set there.
    const shown = async () => {
      const { ts } = (await client.db('admin').command({ hello: 1 })).lastWrite.opTime;
      const name = new RegExp(`^n1 PRIMARY.* applied \\(\\d+,${ts.getLowBits()} t1\\)`);
      return page.getByRole('button', { name }).count();
    };
    await expect.poll(shown, { timeout: 100_000 }).toBeGreaterThan(0);
    await page.locator('.recording').getByText('"insert":"orders"').waitFor();
    await page.locator('.story').getByText('app.orders').first().waitFor();
  }
  expect(complaints).toEqual([]);
});

test('a click on kill is a fault of the set: a driver sees the failover, and the recording has the line', async () => {
  const { uri, address } = await served();
  const page = await opened(address);
  const client = await driver(uri);
  const collection = client.db('app').collection('orders');
  await collection.insertOne({ x: 1 }, { writeConcern: { w: 'majority' } });
  const primaries = new Set<string>();
  const another = new Promise<void>((resolve) =>
    client.on('topologyDescriptionChanged', ({ newDescription }) => {
      for (const { address, type } of newDescription.servers.values()) if (type === 'RSPrimary') primaries.add(address);
      if (primaries.size > 1) resolve();
    }),
  );
  primaries.add((await client.db('admin').command({ hello: 1 })).me);
  await member(page, 'n1 PRIMARY').click();
  await button(page, 'kill').click();
  await member(page, 'n1 DOWN').waitFor();
  await page
    .locator('.recording')
    .getByText(/- \{ at: [\d.]+s, kill: n1 \}/)
    .waitFor();
  await button(page, '+ 1 min').click();
  await another;
  await collection.insertOne({ x: 2 }, { writeConcern: { w: 'majority' } });
  await page.getByRole('button', { name: /^n[23] PRIMARY/ }).waitFor();
  // Who asks why is answered from the trace of the set.
  await button(page, 'why not primary?').click();
  await page
    .locator('.why')
    .getByText(/n1 is down: killed at/)
    .waitFor();
});

test('what goes to the primary, and what goes between two members, is done too', async () => {
  const { uri, address } = await served();
  const page = await opened(address);
  const client = await driver(uri);
  await member(page, 'n1 PRIMARY').click();
  await button(page, 'insert').click();
  await page.locator('.recording').getByText('"insert":"notes"').waitFor();
  expect(await client.db('app').collection('notes').countDocuments()).toBe(1);
  await page.getByRole('button', { name: 'the link between n1 and n2: open' }).click({ force: true });
  await button(page, 'cut both ways').click();
  await page.getByRole('button', { name: 'the link between n1 and n2: cut' }).waitFor();
  await button(page, 'heal everything').click();
  await page.getByRole('button', { name: 'the link between n1 and n2: open' }).waitFor();
  await member(page, 'n1 PRIMARY').click();
  await button(page, 'step down').click();
  await member(page, 'n1 SECONDARY').waitFor();
});

test('the page goes with the set until somebody goes back, and again with “live”', async () => {
  const { uri, address } = await served();
  const page = await opened(address);
  await page.locator('.story').getByText('accepts writes').waitFor();
  const box = (await page.locator('.timeline').boundingBox())!;
  await page.locator('.timeline').click({ position: { x: box.width * 0.3, y: box.height / 2 } });
  await page.getByText('shows the past').waitFor();
  const instant = async () => /^[\d.]+s/.exec((await page.locator('.controls output').textContent()) ?? '')?.[0];
  const then = await instant();
  const client = await driver(uri);
  await client.db('app').collection('orders').insertOne({ x: 1 });
  await page.locator('.story').getByText('app.orders').first().waitFor();
  expect(await instant()).toBe(then);
  // Nothing is done at an instant that is over.
  await member(page, 'n2 ').click();
  await button(page, 'kill').click();
  await page.getByText('You are looking at the past').waitFor();
  expect((await client.db('admin').command({ replsimStatus: 1 })).members[1].running).toBe(true);
  await button(page, 'live').click();
  await page.getByText('shows now').waitFor();
  await member(page, 'n1 PRIMARY').waitFor();
});

test('what was done is a scenario, which the page plays in the usual way', async () => {
  const { uri, address } = await served();
  const page = await opened(address);
  const client = await driver(uri);
  await client
    .db('app')
    .collection('orders')
    .insertOne({ x: 1 }, { writeConcern: { w: 'majority' } });
  await page.locator('.story').getByText('app.orders').first().waitFor();
  await page.locator('.recording').getByText('"insert":"orders"').waitFor();
  const [other] = await Promise.all([
    page.context().waitForEvent('page'),
    button(page, 'use it as a scenario').click(),
  ]);
  onTestFinished(() => other.close());
  await other.getByRole('heading', { name: 'A live set, seed 1' }).waitFor();
  await other.locator('.verdict.held').waitFor();
  await other.locator('.story').getByText('insert into app.orders').first().waitFor();
});

test('a page that comes late is told what is kept no more, and shows the set as it is', async () => {
  const { uri, address } = await served();
  const client = await driver(uri);
  const collection = client.db('app').collection('orders');
  const admin = client.db('admin');
  await admin.command({ replsimFault: { cut: { from: 'n3', to: 'n2' } } });
  await collection.insertMany(Array.from({ length: 6000 }, (_, _id) => ({ _id, text: 'x'.repeat(200) }) as object));
  // Some 35 events a second.
  await admin.command({ replsimAdvance: '3h' });
  const page = await opened(address);
  await page.locator('.verdict', { hasText: /^The \d+ events up to [\d.]+s are no longer kept/ }).waitFor();
  await member(page, 'n1 PRIMARY').waitFor();
  await page.getByRole('button', { name: 'the link between n2 and n3: one way' }).waitFor();
  await page.locator('.recording').getByText('# What clients sent is left out').waitFor();
  await page.locator('.recording').getByText('cut: { from: n3, to: n2 }').waitFor();
  expect(await button(page, 'use it as a scenario').count()).toBe(0);
  expect(await page.locator('.recording').getByText('cannot repeat the run').count()).toBe(0);
  await button(page, 'what is a majority waiting for?').click();
  await page.locator('.why').getByText('are not kept, so this answer does not know of them').waitFor();
});

test('nothing looks wrong', async () => {
  const { address } = await served();
  const page = await opened(address);
  await member(page, 'n1 PRIMARY').click();
  await button(page, 'kill').click();
  await page.locator('.recording').getByText('kill: n1').waitFor();
  expect(await wrongLooks(page)).toEqual([]);
});

test('the end of the set is told', async () => {
  const { address, interrupt } = await served();
  const page = await opened(address);
  await member(page, 'n1 PRIMARY').waitFor();
  await interrupt();
  await page.getByText('ended: the set was shut down').waitFor();
  await member(page, 'n1 DOWN').waitFor();
});
