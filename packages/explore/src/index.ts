export { type Comparison, comparisonsOf, type Difference } from './measure/differences.ts';
export { FIGURES, type Figure, type Figures, type Keyed, keyedOf } from './measure/figures.ts';
export {
  type Arm,
  type MeasuredArm,
  type MeasureOptions,
  measure,
  type Summary,
  samplesOf,
  summaryOf,
} from './measure/measure.ts';
export { type Measured, type MeasureInput, measureRun } from './measure/measureRun.ts';
export {
  type Distribution,
  distributionOf,
  type Interval,
  medianInterval,
  type Sample,
  SIGNIFICANCE,
  signTest,
} from './measure/statistics.ts';
export { type Coverage, coverageRows, NO_COVERAGE, plus } from './search/coverage.ts';
export { everywhere, type FaultText, faultTextOf } from './search/everywhere.ts';
export {
  baseOf,
  befalledBy,
  type Explored,
  type ExploreOptions,
  explore,
  exploredOf,
  type Mode,
  neverReached,
  type Progress,
} from './search/explore.ts';
export { ExploreError } from './search/exploreError.ts';
export { type Failure, stepAt } from './search/failure.ts';
export { type Range, rangesOf, type Shard, shardRange } from './search/range.ts';
export { type Finding, type Found, joined, type Stretch, Stretches } from './search/stretches.ts';
export { NO_SUMS, type Sums, together } from './search/sums.ts';
export { type Trial, type TrialInput, tryOut } from './search/trial.ts';
export { type Shrunk, shrink } from './shrink/shrink.ts';
export { type Answer, answerOf, answerShape, exploredBy } from './spread/answer.ts';
export {
  isAnswerTo,
  type MeasuredAnswer,
  measuredAnswerShape,
  measuredBy,
  measureRange,
  seedCount,
} from './spread/measuredAnswer.ts';
export {
  type AnyQuestion,
  aboutOf,
  canonical,
  difference,
  essenceOf,
  exploring,
  type MeasureQuestion,
  type Question,
} from './spread/question.ts';
export { type Merged, type MergedArms, merge, type Named, type Report, readReport } from './spread/report.ts';
export {
  type QueuedQuestion,
  queuedQuestionShape,
  type Task,
  type TaskReply,
  taskReplyShape,
  taskShape,
} from './spread/task.ts';
