import { existsSync } from 'node:fs';
import { toFragment } from '@replsim/studio/fragment';
import { History } from '@replsim/studio/history';
import { ScenarioPlayer } from '@replsim/studio/player';
import { type Browser, chromium } from 'playwright-core';
import { type Frames, framesFigure, framesSinceStart, playing, scrubbed, UNTHROTTLED, WATCH_FRAMES } from './frames.ts';
import { LONG_RUN } from './longRun.ts';
import { type Figure, median, timed } from './measure.ts';
import { emptyPageMs, startPageMs } from './startPage.ts';

const PAGE = new URL('../../packages/studio/dist/site/index.html', import.meta.url);
const CHROMIUM = '/usr/bin/chromium';
const SCRUBS = 400;
const STARTS = 5;
/** Unit: ms. */
const AIM_OF_FRAME = 16.7;
const LOOKS = 2000;

/** What the studio's page needs for a frame on a run of more than 200,000 trace events, and for the run. */
export async function studio(): Promise<readonly Figure[]> {
  const { figures, seconds } = await inNode();
  if (!existsSync(CHROMIUM)) {
    process.stderr.write(`studio: frames are not measured, as there is no Chromium at ${CHROMIUM}\n`);
    return figures;
  }
  return [...figures, await starting(), ...(await framesOf()), ...(await handingOver(seconds))];
}

async function inNode(): Promise<{ readonly figures: readonly Figure[]; readonly seconds: number }> {
  // Once for the compiler.
  await new ScenarioPlayer().play(LONG_RUN, undefined, () => {});
  const history = new History();
  let folding = 0;
  const all = await timed(async () => {
    await new ScenarioPlayer().play(LONG_RUN, undefined, async ({ events }) => {
      folding += await timed(() => history.add(events));
    });
  });
  const looks: number[] = [];
  for (let i = 0, share = 0; i < LOOKS; i++) {
    share = (share + 0.618034) % 1;
    looks.push(1000 * (await timed(() => void history.at(Math.round(share * history.endMicros)))));
  }
  const sorted = looks.toSorted((a, b) => a - b);
  const [p50 = 0, p99 = 0] = [sorted[LOOKS * 0.5], sorted[LOOKS * 0.99]];
  const seconds = all - folding;
  const name = `studio: the set at an instant of ${history.size.toLocaleString('en-US')} events`;
  return {
    seconds,
    figures: [
      { name, value: p50, unit: 'ms', better: 'less', aim: 16, also: [`p99 ${p99.toFixed(3)}`] },
      {
        name: 'studio: the run in Node, with causes and the story',
        value: 1000 * seconds,
        unit: 'ms',
        better: 'less',
        also: [`its history ${Math.round(1000 * folding)}`],
      },
    ],
  };
}

/** A browser begins with an empty page and with ours, in turns, so that both meet the same machine. */
async function starting(): Promise<Figure> {
  const [ours, empty]: [number[], number[]] = [[], []];
  for (let i = 0; i < STARTS; i++) {
    ours.push(await withPage([], (browser) => startPageMs(browser, PAGE.href)));
    empty.push(await withPage([], emptyPageMs));
  }
  return {
    name: 'studio: until Kill the primary can be pressed',
    value: median(ours),
    unit: 'ms',
    better: 'less',
    aim: 1000,
    floor: { name: 'an empty page', value: median(empty) },
  };
}

async function framesOf(): Promise<readonly Figure[]> {
  return withPage(UNTHROTTLED, async (browser) => {
    const page = await opened(browser);
    const figures: Figure[] = [];
    const kinds: Readonly<Record<string, (count: number) => Promise<Frames>>> = {
      'studio: scrubbing to and fro': (count) => scrubbed(page, count),
      'studio: playing at automatic tempo': (count) => playing(page, count),
    };
    for (const [name, watch] of Object.entries(kinds)) {
      // Once for the compiler.
      await watch(SCRUBS / 4);
      figures.push({ ...framesFigure(name, await watch(SCRUBS)), aim: AIM_OF_FRAME });
    }
    return figures;
  });
}

/** @param secondsBefore what the run took in Node just before */
async function handingOver(secondsBefore: number): Promise<readonly Figure[]> {
  const { took, apart } = await withPage([], async (browser) => {
    const page = await opened(browser);
    const duration = (await page.evaluate('performance.getEntriesByName("run", "measure")[0].duration')) as number;
    return { took: duration, apart: await framesSinceStart(page) };
  });
  const secondsAfter = (await inNode()).seconds;
  const floor = { name: 'Node, before and after', value: 500 * (secondsBefore + secondsAfter) };
  const name = 'studio: the run in the worker, beside its page';
  return [
    framesFigure('studio: while the worker hands the run over', apart),
    { name, value: took, unit: 'ms', better: 'less', floor, aimRatio: 1.5 },
  ];
}

async function withPage<T>(args: readonly string[], does: (browser: Browser) => Promise<T>): Promise<T> {
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', '--disable-dev-shm-usage', ...args],
  });
  try {
    return await does(browser);
  } finally {
    await browser.close();
  }
}

/** The page once its run is over. */
async function opened(browser: Browser) {
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage();
  await page.addInitScript(WATCH_FRAMES);
  await page.goto(`${PAGE.href}#${toFragment({ text: LONG_RUN, atMicros: 0 })}`);
  await page.locator('.verdict.held').waitFor({ timeout: 120_000 });
  return page;
}
