import { ScenarioPlayer } from '../../src/core/run/play.ts';

// Built as the page's simulator is, with the same parts left out: see `lacked.test.ts`.

declare global {
  /** @see `../../src/later/workForPage.ts` */
  var replsimLacked: boolean;
}

/** What stands for the worker's own scope: the test hands it over. */
declare const self: object;

Object.assign(self, {
  lacks: async (text: string): Promise<boolean> => {
    globalThis.replsimLacked = false;
    const played = await new ScenarioPlayer().play(text, undefined, () => {});
    if (played.kind === 'mistakes') throw new Error(played.mistakes.map(({ message }) => message).join('\n'));
    return globalThis.replsimLacked;
  },
});
