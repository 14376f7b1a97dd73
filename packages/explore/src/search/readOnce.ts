import { parseScenario, type Scenario } from '@replsim/scenario';

let last: { readonly text: string; readonly file: string; readonly scenario: Scenario } | undefined;

/** Reads a scenario. Many runs in a row have the same text, which is read once. @throws InvalidScenario */
export function readOnce(text: string, file: string): Scenario {
  if (last?.text !== text || last.file !== file) last = { text, file, scenario: parseScenario(text, file) };
  return last.scenario;
}
