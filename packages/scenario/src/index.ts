export { formatDuration, formatInstant, parseDuration } from './duration.ts';
export { parseScenario } from './parse.ts';
export type { Scenario, Step } from './scenario.ts';
export { InvalidScenario, type Place, renderMistakes, ScenarioError } from './scenarioError.ts';
export { scenarioJsonSchema } from './schema.ts';
export { showDocument, showValue } from './show.ts';
