import { ScenarioPlayer } from '../../src/core/run/play.ts';

// Built as the page's simulator is, with the same parts left out: see `lacked.test.ts`.

Object.assign(self, {
  lacks: async (text: string): Promise<boolean> => {
    globalThis.replsimLacked = false;
    const played = await new ScenarioPlayer().play(text, undefined, () => {});
    if (played.kind === 'mistakes') throw new Error(played.mistakes.map(({ message }) => message).join('\n'));
    return globalThis.replsimLacked;
  },
});
