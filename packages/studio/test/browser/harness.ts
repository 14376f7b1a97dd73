import { WorkerPlayer } from '../../src/core/run/inWorker.ts';
import { type Digests, digestsOf, sliceOf } from './slices.ts';

// Runs in the browser: what a test may ask of the page's player there.

Object.assign(globalThis, { harness: harnessOf(new WorkerPlayer()) });

function harnessOf(player: WorkerPlayer) {
  let begun: Promise<Digests> | undefined;
  return {
    begin: (text: string) => {
      begun = digestsOf(player, text);
    },
    begun: () => begun!,
    slice: ({ text, number }: { text: string; number: number }) => sliceOf(player, text, number),
    /** What comes of a run that another one overtakes, and of that one. */
    overtaken: async ({ long, short }: { long: string; short: string }) => {
      const first = player.play(long, undefined, () => {});
      const second = player.play(short, undefined, () => {});
      return Promise.all([first, second]);
    },
    /** What comes of a comparison that another one overtakes, of that one, which a run overtakes, and of one after that run. */
    overtakenComparisons: async ({ long, short }: { long: string; short: string }) => {
      const compare = (text: string) => player.compare({ text, seed: 1 }, { text: short, seed: 2 });
      const first = compare(long);
      const second = compare(long);
      await first;
      const run = player.play(short, 2, () => {}, true);
      const last = run.then(() => compare(short));
      return Promise.all([first, second, run, last]);
    },
    /** In which order answers come: of two looks into a run, the second at another instant, and of a run that is asked for meanwhile. */
    looks: async ({ long, short }: { long: string; short: string }) => {
      await player.play(long, undefined, () => {});
      const order: string[] = [];
      const seen = (name: string, atMicros: number) =>
        player.look({ kind: 'data', atMicros }).then((answer) => {
          order.push(answer ? `${name} at ${answer.atMicros}` : `${name} overtaken`);
        });
      const first = seen('first', 140e6);
      const second = seen('second', 141e6);
      const run = player.play(short, undefined, () => {}).then(() => order.push('run'));
      await Promise.all([first, second, run]);
      return order;
    },
    why: (atMicros: number) => player.why({ kind: 'primary', atMicros }),
  };
}

/** What it leaves on the page's window. */
export type Harness = ReturnType<typeof harnessOf>;
