export { formatDuration, formatInstant, parseDuration } from './duration.ts';
export { parseScenario } from './parse.ts';
export {
  type BrokenInvariant,
  type CreateSet,
  type Observer,
  type PlayFailure,
  type PlayOptions,
  type PlayResult,
  playScenario,
} from './play.ts';
export type { Scenario, Step } from './scenario.ts';
export { InvalidScenario, type Place, renderMistakes, ScenarioError } from './scenarioError.ts';
export { scenarioJsonSchema } from './schema.ts';
export { showDocument, showValue } from './show.ts';
export { traceLine } from './traceLine.ts';
export { Transcript } from './transcript.ts';
export type { LedgerCount, LedgerReport, OperationReport } from './workload/ledger.ts';
