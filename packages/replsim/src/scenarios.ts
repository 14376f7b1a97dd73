import * as reader from '@replsim/scenario';

// Most who take a set never play a scenario, and what reads one is loaded by the first call: see `LAZY` in `rolldown.config.js`.

/**
 * Reads a scenario.
 * @param file the name that messages show
 * @throws InvalidScenario with all mistakes of the file
 */
export function parseScenario(text: string, file: string): reader.Scenario {
  return reader.parseScenario(text, file);
}

/**
 * Plays a scenario to its end or to the first step that fails, or breaks an invariant.
 * What only a bug of ours can throw is thrown on.
 */
export function playScenario(
  scenario: reader.Scenario,
  create: reader.CreateSet,
  options?: reader.PlayOptions,
): Promise<reader.PlayResult> {
  return reader.playScenario(scenario, create, options);
}
