export {
  didYouMean,
  didYouMeanOneOf,
  durationText,
  formatDuration,
  formatInstant,
  parseDuration,
} from '@replsim/kernel';
export { CHECK_KEYS } from './checks/table.ts';
export { carryFiles, type DataFile, filesNamedIn } from './dataFile/carryFiles.ts';
export { DataFileError } from './dataFile/dataFileError.ts';
export { documentOfJson, documentsOf } from './dataFile/documentsOf.ts';
export {
  DRAWN_KINDS,
  DRAWS,
  type Draw,
  type Drawn,
  type DrawnFault,
  drawnKindOf,
  drawOf,
  type Needs,
  USUAL_KINDS,
} from './drawing/draws.ts';
export { fromExtendedJson } from './file/ejson.ts';
export { InvalidScenario, type Place, ScenarioError, showMistake } from './file/scenarioError.ts';
export { showDocument, showValue } from './file/show.ts';
export type { Forecast, Outage, OutageKind } from './forecast/forecast.ts';
export type { ForecastResult, ForecastRow, LateDeletion, OutageEffect, Sample } from './forecast/forecastResult.ts';
export { forecastJsonSchema } from './forecast/forecastSchema.ts';
export { parseForecast } from './forecast/parseForecast.ts';
export { type ForecastOptions, runForecast } from './forecast/runForecast.ts';
export type { Scale } from './forecast/scale.ts';
export type { ChallengeResult, GoalResult } from './judgeGoals.ts';
export { memberNamesOf } from './language/conf/memberNames.ts';
export { parseConf } from './language/conf/parseConf.ts';
export type { Conf } from './language/conf/readConf.ts';
export { DRAWN_AT_MOST } from './language/explore.ts';
export { parseScenario } from './language/parse.ts';
export { scenarioJsonSchema } from './language/scenarioSchema.ts';
export { AS_WRITTEN, variantOf } from './language/variants.ts';
export { CAUSES, type Cause } from './lateness/causes.ts';
export { type Due, dueBy, expiredFilter } from './lateness/dueBy.ts';
export { type KnownIndex, Lateness } from './lateness/lateness.ts';
export { latenessText, lateText, partsText } from './lateness/latenessText.ts';
export type { PendingExpired } from './lateness/pendingExpired.ts';
export type { LatenessSummary, PartsMs } from './lateness/summary.ts';
export { reportTtl, type TtlIndexReport } from './lateness/ttlReport.ts';
export type { LedgerCount } from './ledgerCounts.ts';
export { whyIdle } from './mongod/idleParameters.ts';
export { type Around, type Fate, type FromConf, fateOfSetting, MAJORITY_READS, SETTINGS } from './mongod/settings.ts';
export {
  type BrokenInvariant,
  type CreateSet,
  type Observer,
  type PlayFailure,
  type PlayOptions,
  type PlayResult,
  playScenario,
  playTo,
} from './play.ts';
export { reasonsWithFilters } from './reasonsOf.ts';
export { packedOf, packedText } from './recording/packedText.ts';
export { entriesOf, type PackedTrace, TracePacker, TraceUnpacker } from './recording/packedTrace.ts';
export { recordingHeader, recordingIn } from './recording/writeHeader.ts';
export {
  type Recording,
  recordedStep,
  recordingEnd,
  recordingObstacle,
  writeRecording,
} from './recording/writeRecording.ts';
export type { Challenge, Exploring, Hint, Scenario, Step } from './scenario.ts';
export { asksForRare } from './schema/rare.ts';
export { withScenarioCosts } from './schema/scenarioCosts.ts';
export { Members } from './stage/members.ts';
export { allSteps } from './steps/allSteps.ts';
export type { Sometimes } from './steps/reached.ts';
export { STEP_GROUPS } from './steps/table.ts';
export { eventTrace } from './streams/eventTrace.ts';
export { firstToldDifference, isCaredFor } from './transcript/toldDifference.ts';
export type { ToldLine } from './transcript/toldLine.ts';
export {
  beginningInWords,
  differenceInWords,
  type TraceDifference,
  type TracedEvent,
  type TwoNames,
} from './transcript/traceDifference.ts';
export { traceLine } from './transcript/traceLine.ts';
export { Transcript, toldOf } from './transcript/transcript.ts';
export type { LedgerReport, OperationReport } from './workload/ledger.ts';
export { Primaries, type Stretches } from './workload/outages.ts';
