import { afterAll, beforeAll, expect, test } from 'vitest';
import { framesText, playing, scrubbed, UNTHROTTLED } from '../../../../bench/frames.ts';
import { LONG_RUN } from '../../../../bench/longRun.ts';
import { type Opener, openerOf } from './openPage.ts';

// What a frame takes on a run of more than 200,000 trace events; printed, as machines differ. `npm run bench -- studio` says more.

let opener: Opener;

beforeAll(async () => {
  opener = await openerOf(UNTHROTTLED);
});

afterAll(() => opener?.close());

test('frames while scrubbing, and while playing', async () => {
  const page = await opener.open({ text: LONG_RUN, atMicros: 0 });
  for (const [what, watch] of Object.entries({ scrubbing: scrubbed, playing })) {
    const frames = await watch(page, 100);
    console.log(`frames while ${what}: ${framesText(frames).trim()}`);
    expect(frames.count).toBe(100);
  }
  // However long the run is, the page has only what is seen.
  expect((await page.evaluate('document.querySelectorAll("*").length')) as number).toBeLessThan(3000);
  await page.context().close();
});
