import { WorkerPlayer } from '../../src/run/inWorker.ts';
import { isInWorker } from '../../src/run/program.ts';
import { workForPage } from '../../src/run/worker.ts';
import { digestsOf, sliceOf, wallMsOf } from './slices.ts';

// Runs in the browser: what a test may ask of the page's player there.

if (isInWorker) workForPage();
else Object.assign(globalThis, { harness: harnessOf(new WorkerPlayer()) });

function harnessOf(player: WorkerPlayer) {
  return {
    digests: (text: string) => digestsOf(player, text),
    slice: ({ text, number }: { text: string; number: number }) => sliceOf(player, text, number),
    wallMs: (text: string) => wallMsOf(player, text),
    /** What comes of a run that another one overtakes, and of that one. */
    overtaken: async ({ long, short }: { long: string; short: string }) => {
      const first = player.play(long, undefined, () => {});
      const second = player.play(short, undefined, () => {});
      return Promise.all([first, second]);
    },
    why: (atMicros: number) => player.why({ kind: 'primary', atMicros }),
  };
}

/** What it leaves on the page's window. */
export type Harness = ReturnType<typeof harnessOf>;
