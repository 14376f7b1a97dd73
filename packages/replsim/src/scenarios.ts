import { withDocuments } from '@replsim/cli';
import * as reader from '@replsim/scenario';

// Most users never play a scenario, so the scenario reader is loaded on the first call: see `LAZY` in `rolldown.config.js`.

/**
 * Parses a scenario.
 * @param text the scenario as YAML
 * @param file the file name to show in messages; files of documents that the scenario names are seen from there
 * @throws InvalidScenario with every mistake in the text
 */
export function parseScenario(text: string, file: string): reader.Scenario {
  return reader.parseScenario(withDocuments(text, file), file);
}

/**
 * Plays a scenario to its end, or to the first step that fails or breaks an invariant. A failure is returned, not thrown; the
 * promise rejects only because of a bug in replsim.
 */
export function playScenario(
  scenario: reader.Scenario,
  create: reader.CreateSet,
  options?: reader.PlayOptions,
): Promise<reader.PlayResult> {
  return reader.playScenario(scenario, create, options);
}
